import Conduit
import FileProvider
import FileProviderEngine
import LinuxSystem

/// Why something about domains could not be done: one sentence, with what to do.
struct DomainFailure: Error, CustomStringConvertible {
    let code: DomainFault.Code
    let description: String
    /// What the provider said, if that is why.
    let cause: ProviderFailure?

    init(_ description: String, _ code: DomainFault.Code = .failed) {
        self.code = code
        self.description = description
        cause = nil
    }

    /// Other words for a failure.
    init(_ description: String, like error: any Error) {
        self.description = description
        cause = error as? ProviderFailure ?? (error as? DomainFailure)?.cause
        code = cause?.kind == .notAuthenticated ? .signInRefused : .failed
    }

    /// The same with what it happened to before it.
    func told(of place: String) -> DomainFailure { DomainFailure("\(place): \(description)", code, cause) }

    private init(_ description: String, _ code: DomainFault.Code, _ cause: ProviderFailure?) {
        (self.description, self.code, self.cause) = (description, code, cause)
    }

    /// - Parameter known: the names of the domains that there are.
    static func noSuchDomain(_ name: String, among known: some Sequence<String>) -> DomainFailure {
        let complaint = NearMiss.sentence("there is no domain \"\(name)\"", about: name, known: known.sorted())
        return DomainFailure("\(complaint); 'purvey domains' lists them", .noSuchDomain)
    }

    /// What became of a call.
    init(_ error: any Error) {
        switch error {
        case let failure as DomainFailure: self = failure
        case let failure as ProviderFailure:
            switch failure.kind {
            case .noSuchItem: self.init(failure.advice, .noSuchItem)
            case .notAuthenticated: self.init(failure.advice, .signInRefused)
            default: self.init(failure.advice)
            }
        default: self.init("\(error)")
        }
    }
}

extension ServedCall {
    /// Answers with what a task gives, which ends when the caller gives up.
    func answer(_ body: @escaping @Sendable () async throws -> C.Reply) {
        let task = Task {
            do {
                reply(try await body())
            } catch {
                let failure = DomainFailure(error)
                fail(domain: DomainFault.domain, code: failure.code.rawValue, message: failure.description)
            }
        }
        onCancel { task.cancel() }
    }
}

import Conduit
import FileProvider
import FileProviderEngine
import LinuxSystem

/// Why something about domains could not be done: one sentence, with what to do.
struct DomainFailure: Error, CustomStringConvertible {
    let code: DomainFault.Code
    let description: String

    init(_ description: String, _ code: DomainFault.Code = .failed) {
        self.code = code
        self.description = description
    }

    static func noSuchDomain(_ name: String) -> DomainFailure {
        DomainFailure("there is no domain \"\(name)\"; 'purvey domains' lists them", .noSuchDomain)
    }

    /// What became of a call.
    init(_ error: any Error) {
        switch error {
        case let failure as DomainFailure: self = failure
        case let failure as ProviderFailure:
            self.init(failure.message, failure.kind == .noSuchItem ? .noSuchItem : .failed)
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

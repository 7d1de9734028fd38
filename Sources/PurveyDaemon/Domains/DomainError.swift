import Conduit
import DomainMessages
import FileProviderEngine
import FileProviderWire
import LinuxSystem

/// A failed operation on domains: one sentence, with advice to the user.
struct DomainError: Error, CustomStringConvertible {
    let code: DomainFault.Code
    let description: String
    /// The provider's failure that caused this error, if any.
    let cause: ProviderError?

    init(_ description: String, _ code: DomainFault.Code = .failed) {
        self.code = code
        self.description = description
        cause = nil
    }

    /// Creates an error with another description, and with the code and cause of a given error.
    init(_ description: String, like error: any Error) {
        self.description = description
        cause = error as? ProviderError ?? (error as? DomainError)?.cause
        code =
            switch cause?.kind {
            case .notAuthenticated?: .signInRefused
            case .cancelled?: .cancelled
            default: .failed
            }
    }

    /// Returns the error, with the name of the affected item or domain before its description.
    func told(of place: String) -> DomainError { DomainError("\(place): \(description)", code, cause) }

    private init(_ description: String, _ code: DomainFault.Code, _ cause: ProviderError?) {
        (self.description, self.code, self.cause) = (description, code, cause)
    }

    /// Returns the failure for an unknown domain.
    ///
    /// - Parameter known: The names of the existing domains.
    static func noSuchDomain(_ name: String, among known: some Sequence<String>) -> DomainError {
        let complaint = SpellingSuggestion.sentence(
            "there is no domain \"\(name)\"", about: name, known: known.sorted())
        return DomainError("\(complaint); 'purvey domains' lists them", .noSuchDomain)
    }

    /// Creates the failure of a call from any error.
    init(_ error: any Error) {
        switch error {
        case let failure as DomainError: self = failure
        case let failure as ProviderError:
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
    /// Replies with the result of a task. The task is cancelled when the caller cancels the call.
    func answer(_ body: @escaping @Sendable () async throws -> C.Reply) {
        let task = Task {
            do {
                reply(try await body())
            } catch {
                let failure = DomainError(error)
                fail(domain: DomainFault.domain, code: failure.code.rawValue, message: failure.description)
            }
        }
        onCancel { task.cancel() }
    }
}

import FileProvider
import LinuxSystem

/// Somebody who waits for an answer of the engine's, and gets one.
final class Answer<Value: Sendable>: Sendable {
    private let first: FirstAnswer<Result<Value, ProviderFailure>>

    init(_ completion: @escaping @Sendable (Result<Value, ProviderFailure>) -> Void) { first = FirstAnswer(completion) }

    func give(_ result: Result<Value, ProviderFailure>) { first.give(result) }

    func cancel() { give(.failure(ProviderFailure(.cancelled, message: "The wait was given up."))) }
}

extension ProviderFailure {
    /// What the index's own failure means to whoever asked.
    init(_ failure: IndexFailure) {
        switch failure {
        case .full: self.init(.noSpace, message: "The disk is full.")
        default: self.init(.cannotSynchronize, message: "The index cannot be used: \(failure)")
        }
    }

    /// What a failed system call means to whoever asked.
    init(_ error: Errno) {
        switch error {
        case .noSpace, .quotaExceeded: self.init(.noSpace, message: error.description)
        default: self.init(.transient, message: error.description)
        }
    }

    static var closed: ProviderFailure { ProviderFailure(.disabled, message: "The domain was closed.") }

    static var noSuchItem: ProviderFailure { ProviderFailure(.noSuchItem, message: "The item is not there any more.") }

    /// Whether the same request may succeed a moment later.
    var isWorthAnotherAttempt: Bool {
        switch kind {
        case .transient, .serverUnreachable, .processEnded: true
        default: false
        }
    }
}

/// Runs system calls, with their failure in a provider's words.
func onDisk<Result: ~Copyable>(_ body: () throws(Errno) -> Result) throws(ProviderFailure) -> Result {
    do throws(Errno) {
        return try body()
    } catch {
        throw ProviderFailure(error)
    }
}

/// Reads or writes the index or the journal, with the failure in a provider's words.
func onRecord<Result: ~Copyable>(_ body: () throws(IndexFailure) -> Result) throws(ProviderFailure) -> Result {
    do throws(IndexFailure) {
        return try body()
    } catch {
        throw ProviderFailure(error)
    }
}

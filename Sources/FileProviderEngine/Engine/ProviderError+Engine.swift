import FileProviderWire
import ItemStore
import LinuxSystem

extension ProviderError {
    /// Creates the error with which a request fails because of a failure of the index.
    package init(_ failure: IndexError) {
        switch failure {
        case .full: self.init(.noSpace, message: "The disk is full.")
        default: self.init(.cannotSynchronize, message: "The index cannot be used: \(failure)")
        }
    }

    /// Creates the error with which a request fails because of a failed system call.
    init(_ error: Errno) {
        switch error {
        case .noSpace, .quotaExceeded: self.init(.noSpace, message: error.description)
        default: self.init(.transient, message: error.description)
        }
    }

    static var closed: ProviderError { ProviderError(.disabled, message: "The domain was closed.") }

    static var noSuchItem: ProviderError { ProviderError(.noSuchItem, message: "The item is not there any more.") }

    /// Whether the same request may succeed if it is repeated soon.
    var isWorthAnotherAttempt: Bool {
        switch kind {
        case .transient, .serverUnreachable, .processEnded: true
        default: false
        }
    }
}

/// Calls `body`, which makes system calls, and throws its error as a ``ProviderError``.
func onDisk<Result: ~Copyable>(_ body: () throws(Errno) -> Result) throws(ProviderError) -> Result {
    do throws(Errno) {
        return try body()
    } catch {
        throw ProviderError(error)
    }
}

/// Calls `body`, which reads or writes the index or the journal, and throws its failure as a ``ProviderError``.
func onRecord<Result: ~Copyable>(_ body: () throws(IndexError) -> Result) throws(ProviderError) -> Result {
    do throws(IndexError) {
        return try body()
    } catch {
        throw ProviderError(error)
    }
}

import FileProvider
import LinuxSystem

extension ProviderFailure {
    /// Translates a failure of the index for the caller.
    init(_ failure: IndexFailure) {
        switch failure {
        case .full: self.init(.noSpace, message: "The disk is full.")
        default: self.init(.cannotSynchronize, message: "The index cannot be used: \(failure)")
        }
    }

    /// Translates a failed system call for the caller.
    init(_ error: Errno) {
        switch error {
        case .noSpace, .quotaExceeded: self.init(.noSpace, message: error.description)
        default: self.init(.transient, message: error.description)
        }
    }

    static var closed: ProviderFailure { ProviderFailure(.disabled, message: "The domain was closed.") }

    static var noSuchItem: ProviderFailure { ProviderFailure(.noSuchItem, message: "The item is not there any more.") }

    /// Whether the same request may soon succeed.
    var isWorthAnotherAttempt: Bool {
        switch kind {
        case .transient, .serverUnreachable, .processEnded: true
        default: false
        }
    }
}

/// Runs system calls and throws their error as a ``ProviderFailure``.
func onDisk<Result: ~Copyable>(_ body: () throws(Errno) -> Result) throws(ProviderFailure) -> Result {
    do throws(Errno) {
        return try body()
    } catch {
        throw ProviderFailure(error)
    }
}

/// Reads or writes the index or the journal and throws its failure as a ``ProviderFailure``.
func onRecord<Result: ~Copyable>(_ body: () throws(IndexFailure) -> Result) throws(ProviderFailure) -> Result {
    do throws(IndexFailure) {
        return try body()
    } catch {
        throw ProviderFailure(error)
    }
}

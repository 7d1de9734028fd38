import FileProvider
import LinuxSystem

/// The reason why a local change failed. A failed change has no effect.
package struct EditFailure: Error, Sendable, Equatable {
    /// The error of the system call that requested the change.
    package var errno: Errno
    /// A directory that is not completely enumerated. The change can be repeated once it is.
    package var unlistedFolder: ItemNumber?

    package init(_ errno: Errno, unlistedFolder: ItemNumber? = nil) {
        self.errno = errno
        self.unlistedFolder = unlistedFolder
    }
}

extension EditFailure {
    init(_ failure: ProviderFailure) {
        switch failure.kind {
        case .noSpace: self.init(.noSpace)
        case .noSuchItem: self.init(.noSuchFile)
        default: self.init(.inputOutput)
        }
    }

    /// Translates a failure to write the index or the journal. A full disk becomes `ENOSPC`.
    init(_ failure: IndexFailure) {
        switch failure {
        case .full: self.init(.noSpace)
        default: self.init(.inputOutput)
        }
    }
}

/// Reads or writes the index or the journal and throws its failure as an ``EditFailure``.
@discardableResult
func reading<Result>(_ body: () throws(IndexFailure) -> Result) throws(EditFailure) -> Result {
    do throws(IndexFailure) { return try body() } catch { throw EditFailure(error) }
}

import FileProviderWire
import ItemStore
import LinuxSystem

/// The reason why a local change failed. A failed change has no effect.
package struct EditError: Error, Sendable, Equatable {
    /// The error of the system call that requested the change.
    package var errno: Errno
    /// The directory that must be enumerated completely before the caller may repeat the change; `nil` if the failure
    /// has another reason.
    package var unlistedFolder: ItemNumber?

    package init(_ errno: Errno, unlistedFolder: ItemNumber? = nil) {
        self.errno = errno
        self.unlistedFolder = unlistedFolder
    }
}

extension EditError {
    package init(_ failure: ProviderError) {
        switch failure.kind {
        case .noSpace: self.init(.noSpace)
        case .noSuchItem: self.init(.noSuchFile)
        default: self.init(.inputOutput)
        }
    }

    /// Creates the error for a failure to write the index or the journal. A full disk becomes `ENOSPC`.
    init(_ failure: IndexError) {
        switch failure {
        case .full: self.init(.noSpace)
        default: self.init(.inputOutput)
        }
    }
}

/// Calls `body`, which reads or writes the index or the journal, and throws its failure as an ``EditError``.
@discardableResult
func reading<Result>(_ body: () throws(IndexError) -> Result) throws(EditError) -> Result {
    do throws(IndexError) { return try body() } catch { throw EditError(error) }
}

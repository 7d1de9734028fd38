import FileProvider
import LinuxSystem

/// Why something was not done to an item here. Nothing of it was done then.
package struct EditFailure: Error, Sendable, Equatable {
    /// What the system call that asked for it fails with.
    package var errno: Errno
    /// A folder of which not everything is known: it is to be listed completely, and then to be asked again.
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

    /// The index or the journal could not be written: a full disk is told as one.
    init(_ failure: IndexFailure) {
        switch failure {
        case .full: self.init(.noSpace)
        default: self.init(.inputOutput)
        }
    }
}

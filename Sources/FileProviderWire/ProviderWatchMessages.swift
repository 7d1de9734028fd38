import Conduit
import LinuxSystem

/// An extension's request to its host for the file descriptor from which the extension reads directory notifications.
/// There is one such descriptor per process.
package struct ProviderNoticesCall: Call, SchemaMessage {
    package typealias Reply = ProviderNotices
    package static var method: UInt64 { 1 }

    package init() {}
    package static let schema = Schema(Self.init)
}

/// The reply to ``ProviderNoticesCall``: the file descriptor from which ``FolderNotices`` reads.
package struct ProviderNotices: SchemaMessage {
    package let descriptor: FileDescriptor

    package init(descriptor: FileDescriptor) {
        self.descriptor = descriptor
    }

    package static let schema = Schema(Self.init, Field(0, \.descriptor))
}

/// An extension's request to its host to watch a directory.
package struct ProviderWatchCall: Call, SchemaMessage {
    package typealias Reply = ProviderWatch
    package static var method: UInt64 { 2 }
    /// The error domain of this request's failures. The code of a failure is an `errno` value.
    package static let failureDomain = "org.purvey.watch"
    /// The directory, open for reading. The descriptor proves that the extension may read the directory, so the
    /// notifications disclose nothing new.
    package let folder: FileDescriptor

    package init(folder: FileDescriptor) {
        self.folder = folder
    }

    package static let schema = Schema(Self.init, Field(0, \.folder))
}

/// The reply to ``ProviderWatchCall``: the number that identifies the directory in notifications.
package struct ProviderWatch: SchemaMessage {
    package let number: FolderNotices.Number

    package init(number: FolderNotices.Number) {
        self.number = number
    }

    package static let schema = Schema(Self.init, Field(0, \.number))
}

import Conduit
import LinuxSystem

/// An extension's request to its host for the descriptor of its directory notifications. There is one per process.
package struct ProviderNoticesCall: Call {
    package typealias Reply = ProviderNotices
    package static var method: UInt64 { 1 }

    package init() {}
    package init(from decoder: inout MessageDecoder) throws(MessageError) {}
    package func encode(to encoder: inout MessageEncoder) {}
}

/// The descriptor, for ``FolderNotices``.
package struct ProviderNotices: Message {
    package let descriptor: FileDescriptor

    package init(descriptor: FileDescriptor) {
        self.descriptor = descriptor
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        descriptor = try decoder.decode(forKey: 0)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(descriptor, forKey: 0)
    }
}

/// An extension's request to its host to watch a directory.
package struct ProviderWatchCall: Call {
    package typealias Reply = ProviderWatch
    package static var method: UInt64 { 2 }
    /// The domain of failures, with an error number as the code.
    package static let failureDomain = "org.purvey.watch"
    /// The directory, open for reading. That proves that the extension may read it, so the events reveal nothing
    /// more.
    package let folder: FileDescriptor

    package init(folder: FileDescriptor) {
        self.folder = folder
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        folder = try decoder.decode(forKey: 0)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(folder, forKey: 0)
    }
}

/// The reply to ``ProviderWatchCall``: the number that identifies the directory in events.
package struct ProviderWatch: Message {
    package let number: FolderNotices.Number

    package init(number: FolderNotices.Number) {
        self.number = number
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        number = try decoder.decode(forKey: 0)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(number, forKey: 0)
    }
}

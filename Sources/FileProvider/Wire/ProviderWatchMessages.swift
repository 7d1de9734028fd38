import Conduit
import LinuxSystem

/// An extension asks its host for a descriptor at which the kernel tells what happens in folders. There is one for each process.
package struct ProviderNoticesCall: Call {
    package typealias Reply = ProviderNotices
    package static var method: UInt64 { 1 }

    package init() {}
    package init(from decoder: inout MessageDecoder) throws(MessageError) {}
    package func encode(to encoder: inout MessageEncoder) {}
}

/// The descriptor: ``FolderNotices``.
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

/// An extension asks its host to have the kernel watch a folder.
package struct ProviderWatchCall: Call {
    package typealias Reply = ProviderWatch
    package static var method: UInt64 { 2 }
    /// Of a failure whose code is an error number.
    package static let failureDomain = "org.purvey.watch"
    /// Open for reading: the extension sees what is in it without being told.
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

/// What stands for the folder in what the kernel tells.
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

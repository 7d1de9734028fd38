import Conduit
import Glibc
import LinuxSystem

/// A request for the whole contents of a file. It reports progress in bytes.
package struct ProviderContentsCall: ProviderCall {
    package typealias Value = ProviderFile
    package typealias Reply = ProviderReply<ProviderFile>
    package static var method: UInt64 { 6 }
    package let identifier: String
    /// Whether to take the file as it is if a program keeps it in use.
    package let takesUsed: Bool

    package init(identifier: String, takesUsed: Bool = false) {
        self.identifier = identifier
        self.takesUsed = takesUsed
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        identifier = try decoder.decode(forKey: 0)
        takesUsed = try decoder.decodeIfPresent(forKey: 1) ?? false
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(identifier, forKey: 0)
        if takesUsed { encoder.encode(true, forKey: 1) }
    }
}

/// A file's contents as an open file, and the provider's item.
package struct ProviderFile: Message {
    package let item: ProviderItem
    package let file: FileDescriptor
    /// The file's status when no program was writing to it; `nil` if programs cannot write to it. If the status
    /// differs later, the contents must not be used.
    package let moment: FileMoment?

    package init(item: ProviderItem, file: FileDescriptor, moment: FileMoment? = nil) {
        self.item = item
        self.file = file
        self.moment = moment
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        item = try decoder.decode(forKey: 0)
        file = try decoder.decode(forKey: 1)
        moment = try decoder.decodeIfPresent(forKey: 2)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(item, forKey: 0)
        encoder.encode(file, forKey: 1)
        encoder.encodeIfPresent(moment, forKey: 2)
    }
}

/// A request to create an item.
package struct ProviderCreateCall: ProviderCall {
    package typealias Value = ProviderItem
    package typealias Reply = ProviderReply<ProviderItem>
    package static var method: UInt64 { 7 }
    package let parent: String
    package let filename: String
    package let kind: ProviderItem.Kind
    package let linkTarget: String?
    /// The modification date, in seconds since 1970.
    package let modified: Double
    package let isExecutable: Bool
    /// Whether the mode of the item gives the group and others nothing.
    package let isPrivate: Bool
    /// The contents, open for reading; `nil` for directories and links.
    package let contents: FileDescriptor?
    /// The item's temporary identifier until the provider gives it one. It is the same in each retry.
    package let template: String?

    package init(
        parent: String, filename: String, kind: ProviderItem.Kind, linkTarget: String?, modified: Double,
        isExecutable: Bool, isPrivate: Bool = false, contents: FileDescriptor?, template: String? = nil
    ) {
        self.parent = parent
        self.filename = filename
        self.kind = kind
        self.linkTarget = linkTarget
        self.modified = modified
        self.isExecutable = isExecutable
        self.isPrivate = isPrivate
        self.contents = contents
        self.template = template
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        parent = try decoder.decode(forKey: 0)
        filename = try decoder.decode(forKey: 1)
        kind = try decoder.decode(forKey: 2)
        linkTarget = try decoder.decodeIfPresent(forKey: 3)
        modified = try decoder.decode(forKey: 4)
        isExecutable = try decoder.decode(forKey: 5)
        contents = try decoder.decodeIfPresent(forKey: 6)
        template = try decoder.decodeIfPresent(forKey: 7)
        isPrivate = try decoder.decode(forKey: 8)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(parent, forKey: 0)
        encoder.encode(filename, forKey: 1)
        encoder.encode(kind, forKey: 2)
        encoder.encodeIfPresent(linkTarget, forKey: 3)
        encoder.encode(modified, forKey: 4)
        encoder.encode(isExecutable, forKey: 5)
        encoder.encodeIfPresent(contents, forKey: 6)
        encoder.encodeIfPresent(template, forKey: 7)
        encoder.encode(isPrivate, forKey: 8)
    }
}

extension ProviderCreateCall {
    /// The mode of the file with the contents, before the process's mask takes its part.
    var permissions: mode_t { isPrivate ? (isExecutable ? 0o700 : 0o600) : isExecutable ? 0o777 : 0o666 }
}

/// A request to replace the contents of a file.
package struct ProviderReplaceCall: ProviderCall {
    package typealias Value = ProviderItem
    package typealias Reply = ProviderReply<ProviderItem>
    package static var method: UInt64 { 8 }
    package let identifier: String
    /// The new contents, open for reading.
    package let contents: FileDescriptor
    /// The version that the change is based on, which the provider must still have; empty if it gives no versions.
    package let base: [UInt8]
    /// The modification date, in seconds since 1970.
    package let modified: Double

    package init(identifier: String, contents: FileDescriptor, base: [UInt8], modified: Double) {
        self.identifier = identifier
        self.contents = contents
        self.base = base
        self.modified = modified
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        identifier = try decoder.decode(forKey: 0)
        contents = try decoder.decode(forKey: 1)
        base = try decoder.decode(ByteString.self, forKey: 2).bytes
        modified = try decoder.decode(forKey: 3)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(identifier, forKey: 0)
        encoder.encode(contents, forKey: 1)
        encoder.encode(ByteString(base), forKey: 2)
        encoder.encode(modified, forKey: 3)
    }
}

/// A request to rename an item, to move it, or both.
package struct ProviderMoveCall: ProviderCall {
    package typealias Value = ProviderItem
    package typealias Reply = ProviderReply<ProviderItem>
    package static var method: UInt64 { 9 }
    package let identifier: String
    package let parent: String
    package let name: String

    package init(identifier: String, parent: String, name: String) {
        self.identifier = identifier
        self.parent = parent
        self.name = name
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        identifier = try decoder.decode(forKey: 0)
        parent = try decoder.decode(forKey: 1)
        name = try decoder.decode(forKey: 2)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(identifier, forKey: 0)
        encoder.encode(parent, forKey: 1)
        encoder.encode(name, forKey: 2)
    }
}

/// A request to remove an item. The engine removes a directory only if it is empty or in the trash.
package struct ProviderDeleteCall: ProviderCall {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { 10 }
    package let identifier: String

    package init(identifier: String) {
        self.identifier = identifier
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        identifier = try decoder.decode(forKey: 0)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(identifier, forKey: 0)
    }
}

/// A request that informs the provider that the contents are not needed any more.
package struct ProviderStopCall: ProviderCall {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { 11 }
    package let identifier: String

    package init(identifier: String) {
        self.identifier = identifier
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        identifier = try decoder.decode(forKey: 0)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(identifier, forKey: 0)
    }
}

/// The provider's notice that a container has changes.
package struct ProviderSignalNotice: Notice {
    package static var method: UInt64 { 1 }
    /// The container's identifier; that of the working set stands for any container.
    package let container: String

    package init(container: String) {
        self.container = container
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        container = try decoder.decode(forKey: 0)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(container, forKey: 0)
    }
}

/// The provider's notice that the cause of a failure is resolved.
package struct ProviderResolvedNotice: Notice {
    package static var method: UInt64 { 2 }
    /// The failure that is resolved.
    package let failure: ProviderError

    package init(failure: ProviderError) {
        self.failure = failure
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        failure = try decoder.decode(forKey: 0)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(failure, forKey: 0)
    }
}

/// The provider's notice of the progress of work that it does by itself, such as an upload.
package struct ProviderProgressNotice: Notice {
    package static var method: UInt64 { 3 }
    package let identifier: String
    package let completed: Int
    package let total: Int

    package init(identifier: String, completed: Int, total: Int) {
        self.identifier = identifier
        self.completed = completed
        self.total = total
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        identifier = try decoder.decode(forKey: 0)
        completed = try decoder.decode(forKey: 1)
        total = try decoder.decode(forKey: 2)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(identifier, forKey: 0)
        encoder.encode(completed, forKey: 1)
        encoder.encode(total, forKey: 2)
    }
}

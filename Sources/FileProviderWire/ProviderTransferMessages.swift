import Conduit
import Glibc
import ItemValues
import LinuxSystem

/// A request for the whole contents of a file. The provider reports progress in bytes.
package struct ProviderContentsCall: ProviderCall, SchemaMessage {
    package typealias Value = ProviderFile
    package typealias Reply = ProviderReply<ProviderFile>
    package static var method: UInt64 { 6 }
    package let identifier: String
    /// Whether to return the present contents even if a program has the file open and does not relinquish it.
    package let takesUsed: Bool
    /// The local contents of an earlier version, open for reading; `nil` to fetch the file without them.
    package let existing: FileDescriptor?
    /// The version of ``existing``; `nil` if ``existing`` is `nil`.
    package let existingVersion: [UInt8]?

    package init(
        identifier: String, takesUsed: Bool = false, existing: FileDescriptor? = nil, existingVersion: [UInt8]? = nil
    ) {
        self.identifier = identifier
        self.takesUsed = takesUsed
        self.existing = existing
        self.existingVersion = existingVersion
    }

    package static let schema = Schema(
        Self.init, Field(0, \.identifier), Field(1, \.takesUsed, default: false), Field(2, \.existing),
        Field(3, bytes: \.existingVersion))
}

/// The contents of a file, as an open file, and the item that the provider reports for them.
package struct ProviderFile: SchemaMessage {
    package let item: ProviderItem
    package let file: FileDescriptor
    /// The status of the file at an instant when no program was writing to it. If the status differs later, the
    /// contents must not be used. `nil` if programs cannot write to the file, or if the file is returned although a
    /// program is using it.
    package let moment: FileMoment?

    package init(item: ProviderItem, file: FileDescriptor, moment: FileMoment? = nil) {
        self.item = item
        self.file = file
        self.moment = moment
    }

    package static let schema = Schema(Self.init, Field(0, \.item), Field(1, \.file), Field(2, \.moment))
}

/// A request to create an item.
package struct ProviderCreateCall: ProviderCall, SchemaMessage {
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
    /// Whether the item's mode grants no permissions to the group and others.
    package let isPrivate: Bool
    /// The contents, open for reading; `nil` for directories and symbolic links.
    package let contents: FileDescriptor?
    /// The temporary identifier that the item has until the provider assigns one. It is the same in each retry.
    package let template: String?
    /// Whether the provider may already have the item, because the item is being imported again.
    package let mayAlreadyExist: Bool

    package init(
        parent: String, filename: String, kind: ProviderItem.Kind, linkTarget: String?, modified: Double,
        isExecutable: Bool, isPrivate: Bool = false, contents: FileDescriptor?, template: String? = nil,
        mayAlreadyExist: Bool = false
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
        self.mayAlreadyExist = mayAlreadyExist
    }

    package static let schema = Schema(
        {
            Self(
                parent: $0, filename: $1, kind: $2, linkTarget: $3, modified: $4, isExecutable: $5, isPrivate: $8,
                contents: $6, template: $7, mayAlreadyExist: $9)
        },
        Field(0, \.parent), Field(1, \.filename), Field(2, \.kind), Field(3, \.linkTarget), Field(4, \.modified),
        Field(5, \.isExecutable), Field(6, \.contents), Field(7, \.template), Field(8, \.isPrivate),
        Field(9, \.mayAlreadyExist, default: false))
}

extension ProviderCreateCall {
    /// The mode with which to create the file for the contents. The process's umask is still to be applied.
    package var permissions: mode_t { isPrivate ? (isExecutable ? 0o700 : 0o600) : isExecutable ? 0o777 : 0o666 }
}

/// A request to replace the contents of a file.
package struct ProviderReplaceCall: ProviderCall, SchemaMessage {
    package typealias Value = ProviderItem
    package typealias Reply = ProviderReply<ProviderItem>
    package static var method: UInt64 { 8 }
    package let identifier: String
    /// The new contents, open for reading.
    package let contents: FileDescriptor
    /// The version on which the change is based. The request fails if the provider has another version. Empty if the
    /// provider reports neither versions nor sizes and dates.
    package let base: [UInt8]
    /// The modification date, in seconds since 1970.
    package let modified: Double

    package init(identifier: String, contents: FileDescriptor, base: [UInt8], modified: Double) {
        self.identifier = identifier
        self.contents = contents
        self.base = base
        self.modified = modified
    }

    package static let schema = Schema(
        Self.init, Field(0, \.identifier), Field(1, \.contents), Field(2, bytes: \.base), Field(3, \.modified))
}

/// A request to rename an item, to move it, or to do both.
package struct ProviderMoveCall: ProviderCall, SchemaMessage {
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

    package static let schema = Schema(Self.init, Field(0, \.identifier), Field(1, \.parent), Field(2, \.name))
}

/// A request to remove an item. The engine removes a directory only if it is empty or in the trash.
package struct ProviderDeleteCall: ProviderCall, SchemaMessage {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { 10 }
    package let identifier: String

    package init(identifier: String) {
        self.identifier = identifier
    }

    package static let schema = Schema(Self.init, Field(0, \.identifier))
}

/// A request that informs the provider that the import of the domain's items has ended.
package struct ProviderImportFinishedCall: ProviderCall, SchemaMessage {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { 12 }

    package init() {}
    package static let schema = Schema(Self.init)
}

/// A request that informs the provider that the engine no longer needs the contents of a file.
package struct ProviderStopCall: ProviderCall, SchemaMessage {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { 11 }
    package let identifier: String

    package init(identifier: String) {
        self.identifier = identifier
    }

    package static let schema = Schema(Self.init, Field(0, \.identifier))
}

/// The provider's notice that a container has changes.
package struct ProviderSignalNotice: Notice, SchemaMessage {
    package static var method: UInt64 { 1 }
    /// The identifier of the container. If it is the identifier of the working set, any container may have changes.
    package let container: String

    package init(container: String) {
        self.container = container
    }

    package static let schema = Schema(Self.init, Field(0, \.container))
}

/// The provider's notice that the cause of a failure no longer exists.
package struct ProviderResolvedNotice: Notice, SchemaMessage {
    package static var method: UInt64 { 2 }
    /// The failure whose cause no longer exists.
    package let failure: ProviderError

    package init(failure: ProviderError) {
        self.failure = failure
    }

    package static let schema = Schema(Self.init, Field(0, \.failure))
}

/// The provider's notice of the progress of work for which no request is running, such as an upload in the background.
package struct ProviderProgressNotice: Notice, SchemaMessage {
    package static var method: UInt64 { 3 }
    package let identifier: String
    package let completed: Int
    package let total: Int

    package init(identifier: String, completed: Int, total: Int) {
        self.identifier = identifier
        self.completed = completed
        self.total = total
    }

    package static let schema = Schema(Self.init, Field(0, \.identifier), Field(1, \.completed), Field(2, \.total))
}

/// The status of a file at one instant. A comparison with a later status shows whether the file was written to.
package struct FileMoment: SchemaMessage, Hashable {
    package let device: UInt64
    package let inode: UInt64
    package let size: Int64
    /// The modification date, in nanoseconds since 1970.
    package let modified: Int64
    /// The time of the last status change (ctime), in nanoseconds since 1970. It also shows writes by programs that
    /// reset the modification date.
    package let changed: Int64

    package init(_ status: FileStatus) {
        (device, inode) = (status.identity.device, status.identity.inode)
        (size, modified) = (Int64(status.size), status.modifiedNanoseconds)
        changed = status.changedNanoseconds
    }

    private init(device: UInt64, inode: UInt64, size: Int64, modified: Int64, changed: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
    }

    package static let schema = Schema(
        Self.init(device:inode:size:modified:changed:), Field(0, \.device), Field(1, \.inode), Field(2, \.size),
        Field(3, \.modified), Field(4, \.changed))

    /// Whether the other status is of the same file, with the same size and modification date. Ignores ``changed``,
    /// because renaming the file changes it.
    package func isDated(as other: FileMoment) -> Bool {
        device == other.device && inode == other.inode && size == other.size && modified == other.modified
    }
}

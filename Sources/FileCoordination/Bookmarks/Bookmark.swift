import Conduit
import Foundation
import Glibc
import LinuxSystem

/// The contents of a bookmark. ``BookmarkSeal`` encodes and decodes them.
package struct Bookmark: SchemaMessage {
    /// A security scope: the processes to which a bookmark grants access, and the kind and duration of the access.
    package struct Scope: SchemaMessage, Equatable {
        /// The bundle identifier of the confined processes that may use the bookmark; `nil` if it was not made for one
        /// bundle.
        package let bundle: String?
        /// Whether the item may only be read.
        package let isReadOnly: Bool
        /// The boot of the machine in which the bookmark is valid; `nil` for a permanent bookmark.
        package let session: String?

        package init(bundle: String?, isReadOnly: Bool, session: String? = nil) {
            self.bundle = bundle
            self.isReadOnly = isReadOnly
            self.session = session
        }

        /// Whether the confined processes of the given bundle may use the scope now. A temporary scope without a bundle
        /// is valid for any confined process until the machine restarts. A permanent scope without a bundle is valid
        /// only for the user's unconfined programs.
        package func isGood(for bundle: String) -> Bool {
            if let session, session != MachineSession.current { return false }
            return self.bundle == bundle || (self.bundle == nil && session != nil)
        }

        package static let schema = Schema(
            Self.init, Field(0, \.bundle), Field(1, \.isReadOnly), Field(2, \.session))
    }

    /// The raw value of the options with which the bookmark was created.
    let options: UInt
    /// The user ID of the process that created the bookmark.
    let user: UInt32
    let identity: ItemIdentity
    let path: String
    /// The path relative to the root of the item's file system, and thus independent of the mount point.
    let inside: String?
    /// The file to which the bookmark is relative. `relativePath` leads from that file's directory to the item.
    let base: ItemIdentity?
    let relativePath: String?
    package let scope: Scope?
    package let values: [BookmarkValue]

    private init(
        options: UInt64, user: UInt32, identity: ItemIdentity, path: String, inside: String?, base: ItemIdentity?,
        relativePath: String?, scope: Scope?, values: [BookmarkValue]
    ) {
        self.options = UInt(options)
        self.user = user
        self.identity = identity
        self.path = path
        self.inside = inside
        self.base = base
        self.relativePath = relativePath
        self.scope = scope
        self.values = values
    }

    package static let schema = Schema(
        Self.init(options:user:identity:path:inside:base:relativePath:scope:values:), Field(0, { UInt64($0.options) }),
        Field(1, \.user), Field(2, \.identity), Field(3, \.path), Field(4, \.inside), Field(5, \.base),
        Field(6, \.relativePath), Field(7, \.scope), Field(8, unlessEmpty: \.values))
}

extension Bookmark {
    /// Creates the bookmark of an item. Blocks on the file system.
    ///
    /// - Parameters:
    ///   - options: The raw value of `NSURL.BookmarkCreationOptions`.
    ///   - item: The item itself, opened in any mode.
    ///   - base: The file that the bookmark is relative to.
    package init(
        options: UInt, item: ResolvedItem, relativeTo base: ResolvedItem?, scope: Scope?, values: [BookmarkValue]
    ) throws(Errno) {
        self.options = options
        path = item.path
        self.scope = scope
        self.values = values
        user = geteuid()
        identity = try ItemIdentity(of: item.descriptor)
        inside = (try? MountTable.current())?.mount(of: path)?.inside(path)
        self.base = try base.map { base throws(Errno) in try ItemIdentity(of: base.descriptor) }
        relativePath = base.map { Self.path(from: Self.folder(of: $0.path), to: item.path) }
    }

    /// Returns the path of the directory that contains the item at `path`.
    static func folder(of path: String) -> String {
        guard let slash = path.lastSlash, slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Returns the relative path from the directory `folder` to the item at `path`.
    private static func path(from folder: String, to path: String) -> String {
        let (from, to) = (folder.pathNames, path.pathNames)
        let shared = zip(from, to).prefix { $0.utf8.elementsEqual($1.utf8) }.count
        return (Array(repeating: "..", count: from.count - shared) + to.dropFirst(shared)).joined(separator: "/")
    }
}

/// The identifier of the period from one boot of the machine to the next.
package enum MachineSession {
    /// The kernel's identifier of the current boot; `nil` if it is unavailable.
    package static let current: String? = {
        let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        let name = text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        return name.isEmpty ? nil : name
    }()
}

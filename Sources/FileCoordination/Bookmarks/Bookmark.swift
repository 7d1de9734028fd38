import Conduit
import Foundation
import Glibc
import LinuxSystem

/// The contents of a bookmark. ``BookmarkSeal`` encodes and decodes them.
package struct Bookmark: Message {
    /// The recipients of a security scope.
    package struct Scope: Message, Equatable {
        /// The bundle whose confined processes may use the bookmark.
        package let bundle: String?
        /// Whether the item may only be read.
        package let isReadOnly: Bool
        /// The machine session in which the bookmark is valid; `nil` for a permanent bookmark.
        package let session: String?

        package init(bundle: String?, isReadOnly: Bool, session: String? = nil) {
            self.bundle = bundle
            self.isReadOnly = isReadOnly
            self.session = session
        }

        /// Whether the confined processes of a bundle may use the scope now. A temporary scope without a bundle is
        /// valid for any confined process until the machine restarts. A permanent scope without a bundle is valid only
        /// for the user's unconfined programs.
        package func isGood(for bundle: String) -> Bool {
            if let session, session != MachineSession.current { return false }
            return self.bundle == bundle || (self.bundle == nil && session != nil)
        }

        package init(from decoder: inout MessageDecoder) throws(MessageError) {
            bundle = try decoder.decodeIfPresent(forKey: 0)
            isReadOnly = try decoder.decode(forKey: 1)
            session = try decoder.decodeIfPresent(forKey: 2)
        }

        package func encode(to encoder: inout MessageEncoder) {
            encoder.encodeIfPresent(bundle, forKey: 0)
            encoder.encode(isReadOnly, forKey: 1)
            encoder.encodeIfPresent(session, forKey: 2)
        }
    }

    /// The raw value of the options with which the bookmark was created.
    let options: UInt
    /// The user ID of the process that created the bookmark.
    let user: UInt32
    let identity: ItemIdentity
    let path: String
    /// The path within the file system, without its mount point.
    let inside: String?
    /// The file to which the bookmark is relative, and the path from that file's directory to the item.
    let base: ItemIdentity?
    let relativePath: String?
    package let scope: Scope?
    package let values: [BookmarkValue]

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        options = UInt(try decoder.decode(UInt64.self, forKey: 0))
        user = try decoder.decode(forKey: 1)
        identity = try decoder.decode(forKey: 2)
        path = try decoder.decode(forKey: 3)
        inside = try decoder.decodeIfPresent(forKey: 4)
        base = try decoder.decodeIfPresent(forKey: 5)
        relativePath = try decoder.decodeIfPresent(forKey: 6)
        scope = try decoder.decodeIfPresent(forKey: 7)
        values = try decoder.decodeIfPresent(forKey: 8) ?? []
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(UInt64(options), forKey: 0)
        encoder.encode(user, forKey: 1)
        encoder.encode(identity, forKey: 2)
        encoder.encode(path, forKey: 3)
        encoder.encodeIfPresent(inside, forKey: 4)
        encoder.encodeIfPresent(base, forKey: 5)
        encoder.encodeIfPresent(relativePath, forKey: 6)
        encoder.encodeIfPresent(scope, forKey: 7)
        if !values.isEmpty { encoder.encode(values, forKey: 8) }
    }
}

extension Bookmark {
    /// Describes an item. Blocks on the file system.
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

    /// Returns the directory that contains a path.
    static func folder(of path: String) -> String {
        guard let slash = path.lastSlash, slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Returns the relative path from a directory to an item.
    private static func path(from folder: String, to path: String) -> String {
        let (from, to) = (folder.pathNames, path.pathNames)
        let shared = zip(from, to).prefix { $0.utf8.elementsEqual($1.utf8) }.count
        return (Array(repeating: "..", count: from.count - shared) + to.dropFirst(shared)).joined(separator: "/")
    }
}

/// The time from one start of the machine to the next.
package enum MachineSession {
    /// The kernel's identifier of the current session; `nil` if it is unavailable.
    package static let current: String? = {
        let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        let name = text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        return name.isEmpty ? nil : name
    }()
}

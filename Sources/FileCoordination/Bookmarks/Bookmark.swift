import Conduit
import Glibc
import LinuxSystem

/// What a bookmark says. Its bytes are made and read by ``BookmarkSeal``.
package struct Bookmark: Message {
    /// Whom a security scope is for.
    package struct Scope: Message, Equatable {
        /// The bundle whose confined processes may use it.
        package let bundle: String?
        /// Whether contents may be read only.
        package let isReadOnly: Bool
        /// The session of the machine in which it is good; `nil` for one that lasts.
        package let session: String?

        package init(bundle: String?, isReadOnly: Bool, session: String? = nil) {
            self.bundle = bundle
            self.isReadOnly = isReadOnly
            self.session = session
        }

        /// Whether the confined processes of a bundle may use it now. One that names no bundle is for whoever it is handed to,
        /// but only for as long as the machine runs; for the user's programs that are not confined if it lasts.
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

    /// The raw value of the options with which it was made.
    let options: UInt
    /// The user whose process made it.
    let user: UInt32
    let identity: ItemIdentity
    let path: String
    /// The path as the file system itself has it, without where it is mounted.
    let inside: String?
    /// The file that it was made relative to, and the path from that one's folder.
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
    ///   - options: the raw value of `NSURL.BookmarkCreationOptions`.
    ///   - item: the item itself, open in whatever way.
    ///   - base: the file that it is relative to.
    package init(
        options: UInt, item: FoundItem, relativeTo base: FoundItem?, scope: Scope?, values: [BookmarkValue]
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

    /// The folder that a path lies in.
    static func folder(of path: String) -> String {
        guard let slash = path.lastSlash, slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// How to get from a folder to an item, up and down.
    private static func path(from folder: String, to path: String) -> String {
        let (from, to) = (folder.pathNames, path.pathNames)
        let shared = zip(from, to).prefix { $0.utf8.elementsEqual($1.utf8) }.count
        return (Array(repeating: "..", count: from.count - shared) + to.dropFirst(shared)).joined(separator: "/")
    }
}

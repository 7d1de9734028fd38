import CAuthentication
import Conduit
import Foundation
import Glibc
import LinuxSystem

/// The stored versions of one item. They are in a directory of versions, within the user's data directory. A symbolic
/// link that is named after the item's identity leads to the directory of versions.
///
/// A second link, named after the item's path, leads to the same directory. The second link is used if another item has
/// replaced the item at this path. The new item then gets links to the directory of versions. The directory itself is
/// not renamed, because the versions may be in use. Links and versions are created atomically, so processes do not need
/// a common lock.
struct VersionStore {
    /// The path of the directory for the versions of all items. If there is no data directory, the value is a path at
    /// which no file can be created.
    static var root: String { (DataFolder.path ?? "/dev/null") + "/versions" }
    private let item: ResolvedItem
    private let identity: ItemIdentity
    /// The path of the item's directory of versions; `nil` if no version was stored yet.
    private var folder: String?

    /// Finds the versions of an item.
    init(of item: ResolvedItem) throws {
        self.item = item
        identity = try ItemIdentity(of: item.descriptor)
        folder = Self.target(of: Self.link(of: identity))
        if folder == nil { takeOver() }
    }

    var versions: [KeptVersion] {
        guard let folder else { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { UUID(uuidString: $0) != nil }.compactMap { KeptVersion(folder: folder + "/" + $0) }
            .sorted { ($1.record.modificationDate, $1.record.added) < ($0.record.modificationDate, $0.record.added) }
    }

    mutating func add(_ record: VersionRecord, _ contents: URL, byMoving: Bool) throws -> KeptVersion {
        let staged = Self.newTemporaryFolder().path
        /// The former path of the contents, if they were moved into the staged folder.
        var former: String?
        do {
            try DataFolder.make(staged + "/contents")
            let source = try contents.foundItem()
            let target = try FileDescriptor.open(staged + "/contents", [.readOnly, .directory])
            if byMoving, rename(source.path, staged + "/contents/" + record.name) == 0 {
                former = source.path
            } else {
                try Self.copy(source, into: target, named: record.name)
            }
            try KeptVersion(folder: staged, record: record).writeRecord()
            let version = try place(staged, record)
            if byMoving, former == nil { try Self.remove(source.path) }
            return version
        } catch {
            // Without their record, moved contents would be lost with the staged folder.
            let isMovedBack = former.map { rename(staged + "/contents/" + record.name, $0) == 0 } ?? true
            if isMovedBack { try? Self.remove(staged) }
            throw error
        }
    }

    private mutating func place(_ staged: String, _ record: VersionRecord) throws -> KeptVersion {
        // A concurrent sweep may have removed an empty directory.
        if let folder, access(folder, F_OK) != 0 { self.folder = nil }
        let folder = try folder ?? makeFolder()
        self.folder = folder
        let kept = KeptVersion(folder: folder + "/" + record.identifier.uuidString, record: record)
        try retrying { rename(staged, kept.folder) }
        try remember(folder)
        return kept
    }

    /// Replaces an item atomically, and retains its versions.
    static func replaceItem(at url: URL, with contents: URL) throws {
        let path = url.bookmarkPath
        guard let name = FileName(url.path.lastPathName), let staged = FileName(".version-" + UUID().uuidString) else {
            throw Errno.invalidArgument
        }
        let old = try? VersionStore(of: url.foundItem())
        let folder = try FileDescriptor.open(Bookmark.folder(of: path), [.readOnly, .directory])
        try copy(contents.foundItem(), into: folder, named: staged.description)
        do {
            try folder.move(staged, into: folder, as: name)
        } catch {
            try? TreeRemover.remove(staged, in: folder)
            throw error
        }
        // After the exchange, the former item has the temporary name. No item has this name if there was no former
        // item, or if the file system cannot exchange items. The item has been replaced, so it is no failure if parts
        // of the former one cannot be removed.
        try? TreeRemover.remove(staged, in: folder)
        guard let old, let kept = old.folder else { return }
        var new = try VersionStore(of: url.foundItem())
        new.adopt(kept, of: old.identity)
    }

    /// Creates a temporary directory on the store's file system.
    static func newTemporaryFolder() -> URL {
        let path = root + "/new/" + UUID().uuidString
        // If the directory cannot be created, its use will fail and report the error.
        try? DataFolder.make(path)
        return URL(fileURLWithPath: path, isDirectory: true)
    }

    /// Runs a function, and converts the system errors that it throws to Foundation's errors for the given URL.
    static func reporting<Result>(_ url: URL, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as Errno {
            throw BookmarkError.unreadable(url.path, error)
        } catch let error as CopyError {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSURLErrorKey: url, NSUnderlyingErrorKey: error])
        }
    }
}

extension VersionStore {
    /// Returns the path of the link for the given identity.
    static func link(of identity: ItemIdentity) -> String {
        var parts = "\(identity.fileSystem ?? identity.device) \(identity.inode)"
        if let handle = identity.handle {
            parts += " \(handle.type) \(handle.bytes)"
        } else {
            parts += " \(identity.born ?? 0)"
        }
        return root + "/identities/" + name(for: parts)
    }

    private static func link(of path: String) -> String { root + "/paths/" + name(for: path) }

    /// Returns the path of the link's target; `nil` if the link or its target does not exist.
    static func target(of link: String) -> String? {
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link), access(target, F_OK) == 0
        else { return nil }
        return target
    }

    /// Returns a file name of fixed length, computed as a digest of the text. The name does not keep the text secret,
    /// because anyone can check a guess of the text.
    private static func name(for text: String) -> String {
        let (key, bytes) = (Array("versions".utf8), Array(text.utf8))
        var code = [UInt8](repeating: 0, count: Int(CAUTHENTICATION_LENGTH))
        cauthentication_code(key, key.count, bytes, bytes.count, &code)
        return code.prefix(20).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count < 2 ? "0" + digits : digits
        }.joined()
    }

    /// Creates the item's directory. If another process has just created it, returns that directory.
    private func makeFolder() throws -> String {
        let (made, link) = (Self.root + "/items/" + UUID().uuidString, Self.link(of: identity))
        try DataFolder.make(made)
        try DataFolder.make(Self.root + "/identities")
        // If the directory was removed by hand, the link to it still exists and would prevent the new link.
        if Self.target(of: link) == nil { unlink(link) }
        do throws(Errno) {
            try retrying { symlink(made, link) }
            return made
        } catch {
            rmdir(made)
            guard error == .fileExists, let theirs = Self.target(of: link) else { throw error }
            return theirs
        }
    }

    /// Writes the item's identity and path to a file in its directory of versions, and makes the item's two links lead
    /// to this directory.
    private func remember(_ folder: String) throws {
        try ItemTrace(identity: identity, path: item.path).write(to: folder)
        for link in [Self.link(of: identity), Self.link(of: item.path)] where Self.target(of: link) != folder {
            try DataFolder.make(Bookmark.folder(of: link))
            let staged = link + "-" + UUID().uuidString
            try retrying { symlink(folder, staged) }
            try retrying { rename(staged, link) }
        }
    }

    /// Takes over the versions of the file that had this item's path before, if that file does not exist any more.
    private mutating func takeOver() {
        guard let kept = Self.target(of: Self.link(of: item.path)), let old = ItemTrace(in: kept)?.identity,
            ItemSearch(identity: old, paths: [item.path], inside: nil).find() == nil
        else { return }
        adopt(kept, of: old)
    }

    /// Assigns the directory of versions at `kept` to this item. The directory belonged to the item with the identity
    /// `old`.
    private mutating func adopt(_ kept: String, of old: ItemIdentity) {
        folder = kept
        guard (try? remember(kept)) != nil, Self.link(of: old) != Self.link(of: identity) else { return }
        unlink(Self.link(of: old))
    }

    private static func copy(_ source: ResolvedItem, into folder: FileDescriptor, named name: String) throws {
        let status = try source.descriptor.status()
        switch status.kind {
        case .regular:
            let file = try source.descriptor.reopen([.readOnly, .nonBlocking])
            try FileCopier.copy(file, into: folder, named: name)
        case .directory:
            try TreeCopier.copy(try source.descriptor.reopen([.readOnly, .directory]), into: folder, named: name)
        default: throw Errno.notSupported
        }
    }

    static func remove(_ path: String) throws {
        let url = URL(fileURLWithPath: path)
        guard let name = FileName(url.path.lastPathName) else { return }
        try TreeRemover.remove(name, in: .open(url.deletingLastPathComponent().path, [.readOnly, .directory]))
    }
}

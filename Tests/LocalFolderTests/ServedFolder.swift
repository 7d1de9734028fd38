import FileProvider
import FileTesting
import Glibc
import LinuxSystem
import LocalFolder

/// A served directory, its catalogue, and a directory for the provider's own files.
struct ServedFolder {
    let folder: TestFolder
    let own: TestFolder
    let catalogue: SharedCatalogue

    init(watcher: (any FolderWatcher)? = nil) throws {
        try self.init(of: try TestFolder(), own: try TestFolder(), watcher: watcher)
    }

    /// Simulates a process that is started later. Only one process at a time may open a catalogue.
    init(of folder: TestFolder, own: TestFolder, watcher: (any FolderWatcher)? = nil) throws {
        (self.folder, self.own) = (folder, own)
        catalogue = try SharedCatalogue(of: folder.path, store: own.path + "/catalogue.db", watcher: watcher)
    }

    /// Scans the served directory, and returns the identifiers of a directory's items by their names.
    func identifiers(in folder: String? = nil) throws -> [String: String] {
        try catalogue.perform { catalogue in
            let number = try folder.map { try catalogue.item($0).number } ?? CatalogueItem.root
            try catalogue.lookAt(number)
            _ = try catalogue.lookAtAll()
            let children = try catalogue.children(of: number)
            return Dictionary(
                uniqueKeysWithValues: children.map { ($0.filename, catalogue.identifier(of: $0.number)) })
        }
    }

    func changes(since anchor: [UInt8]) throws -> CatalogueChanges? {
        try catalogue.perform { catalogue in
            _ = try catalogue.lookAtAll()
            return try catalogue.changes(since: anchor, in: nil, limit: .max)
        }
    }

    var anchor: [UInt8] { get throws { try catalogue.perform { try $0.anchor() } } }

    func rename(_ old: String, _ new: String) throws {
        try retrying { renameat(folder.descriptor.rawValue, old, folder.descriptor.rawValue, new) }
    }

    func remove(_ name: String) throws { try retrying { unlinkat(folder.descriptor.rawValue, name, 0) } }

    /// Creates a file in the provider's own directory, where edits arrive, and returns its path.
    func ownFile(_ name: String, _ text: String, permissions: mode_t = 0o644) throws -> String {
        try own.file(name, Array(text.utf8), permissions: permissions)
        return own.path + "/" + name
    }
}

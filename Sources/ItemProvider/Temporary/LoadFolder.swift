import FileCoordination
import Foundation
import Glibc
import LinuxSystem

/// A folder for the file of one load, removed with all that is in it by ``remove()``, when its last reference goes, or
/// when the process ends by `exit` or by returning from `main`.
///
/// What a crashed process left behind is swept away by the next process that starts to load.
package final class LoadFolder: Sendable {
    package let path: String
    package let directory: FileDescriptor

    // Nothing else is locked while the tree is removed.
    private let tree: Lock<StagedTree?>

    package init() throws {
        let tree = try StagedTree(in: try LoadPlace.shared().directory)
        guard let path = tree.descriptor.path else { throw Errno.noSuchFile }
        self.path = path
        directory = tree.descriptor
        self.tree = Lock(tree)
        OpenFolders.add(self)
    }

    deinit { OpenFolders.forget(ObjectIdentifier(self)) }

    /// Removes the folder now, whoever still refers to it.
    package func remove() {
        tree.withLock { $0 = nil }
    }
}

/// The folders of this process, removed when it ends: a load that was cancelled a moment before may not be over yet.
private enum OpenFolders {
    private struct Reference {
        weak var folder: LoadFolder?
    }

    private struct State {
        var isWatching = false
        var references: [ObjectIdentifier: Reference] = [:]
    }

    // Innermost: folders are removed after it is released.
    private static let state = Lock(State())

    static func add(_ folder: LoadFolder) {
        let isFirst = state.withLock { state in
            state.references[ObjectIdentifier(folder)] = Reference(folder: folder)
            defer { state.isWatching = true }
            return !state.isWatching
        }
        if isFirst { atexit { OpenFolders.removeAll() } }
    }

    static func forget(_ folder: ObjectIdentifier) {
        _ = state.withLock { $0.references.removeValue(forKey: folder) }
    }

    private static func removeAll() {
        let folders = state.withLock { state in state.references.values.compactMap(\.folder) }
        for folder in folders { folder.remove() }
    }
}

/// Where all processes of the user keep the files of their loads.
private struct LoadPlace {
    let directory: FileDescriptor

    // Held while the folder is made and swept; nothing else is locked under it.
    private static let found = Lock<LoadPlace?>(nil)

    static func shared() throws -> LoadPlace {
        try found.withLock { found in
            if let place = found, (try? place.directory.status().linkCount) ?? 0 > 0 { return place }
            let place = LoadPlace(directory: try open())
            TemporaryName.sweep(place.directory)
            found = place
            return place
        }
    }

    /// Opens the folder in the user's data folder or, where that cannot be written, in the system's for temporary files.
    private static func open() throws -> FileDescriptor {
        guard let data = DataFolder.path else {
            throw ItemProviderError.make(.unknownError, "PURVEY_HOME is not an absolute path")
        }
        let candidates = [data + "/loads", "\(NSTemporaryDirectory())/purvey-\(getuid())/loads"]
        var failure: any Error = Errno.noSuchFile
        for path in candidates {
            do {
                try FileManager.default.createDirectory(
                    atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                let directory = try FileDescriptor.open(path, [.readOnly, .directory])
                // In a folder that others can write, somebody else may have been first.
                guard try directory.status().owner == getuid() else { throw Errno.permissionDenied }
                guard faccessat(directory.rawValue, ".", W_OK, 0) == 0 else { throw Errno.current }
                return directory
            } catch {
                failure = error
            }
        }
        throw failure
    }
}

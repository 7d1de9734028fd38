import FileCoordination
import Foundation
import Glibc
import LinuxSystem

/// A temporary directory for the file of one load. It is removed with its contents by ``remove()``, when its last
/// reference is released, or when the process ends by `exit` or by returning from `main`.
///
/// The leftovers of a crashed process are removed by the next process that starts to load.
package final class LoadFolder: Sendable {
    package let path: String
    package let directory: FileDescriptor

    private let folder: OpenFolder

    package init() throws {
        folder = try OpenFolders.make()
        (path, directory) = (folder.path, folder.directory)
    }

    deinit { remove() }

    /// Removes the directory now, even if there are other references.
    package func remove() { OpenFolders.remove(folder) }
}

/// A temporary directory that exists until it is removed.
private final class OpenFolder: Sendable {
    let path: String
    let directory: FileDescriptor

    // The lock is held while the tree is removed, so that a concurrent call of `remove` returns only when the tree is
    // gone. No other lock is taken under it.
    private let tree: Lock<StagedTree?>

    init(in place: FileDescriptor) throws {
        let tree = try StagedTree(in: place)
        guard let path = tree.descriptor.path else { throw Errno.noSuchFile }
        self.path = path
        directory = tree.descriptor
        self.tree = Lock(tree)
    }

    func remove() { tree.withLock { $0 = nil } }
}

/// The temporary directories of this process. They are removed when it ends, even if a cancelled load is still
/// running.
private enum OpenFolders {
    private struct State {
        var isWatching = false
        /// Whether the process is ending. A directory that is created afterwards would not be removed.
        var isOver = false
        var folders: [ObjectIdentifier: OpenFolder] = [:]
    }

    // Leaf lock: directories are removed after it is released.
    private static let state = Lock(State())

    /// Creates a directory and registers it atomically.
    static func make() throws -> OpenFolder {
        let place = try LoadPlace.shared()
        return try state.withLock { state in
            guard !state.isOver else { throw CancellationError() }
            if !state.isWatching {
                atexit { OpenFolders.removeAll() }
                state.isWatching = true
            }
            let folder = try OpenFolder(in: place.directory)
            state.folders[ObjectIdentifier(folder)] = folder
            return folder
        }
    }

    /// Removes a directory, and then its entry in this list. In this order, the directory is removed even if the
    /// process ends in between.
    static func remove(_ folder: OpenFolder) {
        folder.remove()
        _ = state.withLock { $0.folders.removeValue(forKey: ObjectIdentifier(folder)) }
    }

    private static func removeAll() {
        let folders = state.withLock { state in
            state.isOver = true
            return Array(state.folders.values)
        }
        for folder in folders { folder.remove() }
    }
}

/// The directory in which all processes of the user keep the files of their loads.
private struct LoadPlace {
    let directory: FileDescriptor

    // The lock is held while the directory is created and swept. No other lock is taken under it.
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

    /// Opens the directory in the user's data directory or, if that is not writable, in the system's directory for
    /// temporary files.
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
                // In a directory that other users can write to, another user may have created this one first.
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

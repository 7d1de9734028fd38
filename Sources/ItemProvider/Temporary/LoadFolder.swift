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

    private let folder: OpenFolder

    package init() throws {
        folder = try OpenFolders.make()
        (path, directory) = (folder.path, folder.directory)
    }

    deinit { remove() }

    /// Removes the folder now, whoever still refers to it.
    package func remove() { OpenFolders.remove(folder) }
}

/// A folder that is there, until it is removed.
private final class OpenFolder: Sendable {
    let path: String
    let directory: FileDescriptor

    // Held while the tree is removed, and nothing else is locked meanwhile: whoever asks for that too returns when it is gone.
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

/// The folders of this process, removed when it ends: a load that was cancelled a moment before may not be over yet.
private enum OpenFolders {
    private struct State {
        var isWatching = false
        /// The process ends: what is made from now on would stay.
        var isOver = false
        var folders: [ObjectIdentifier: OpenFolder] = [:]
    }

    // Innermost: folders are removed after it is released.
    private static let state = Lock(State())

    /// Makes a folder that is known from when it is there.
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

    /// Forgets a folder once it is gone, and not before: the process may end meanwhile.
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

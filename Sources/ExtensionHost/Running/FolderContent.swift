import Glibc
import LinuxSystem

/// The number of files in directories, and their size on disk, counted while a process may change the directories.
///
/// Unlike a ``TreeWalker``, the walk continues if a directory changes, stores no lists of names, and also opens
/// directories whose mode forbids their owner to read them.
struct FolderContent {
    private(set) var entries = 0
    private(set) var bytes = 0

    /// The maximum depth of nested directories, which is also the maximum number of open descriptors. Few programs have
    /// deeper directories. If a directory is deeper, the limit on the number of files counts as exceeded.
    private static let mostDepth = 256

    init() {}

    /// Walks the given directories, and stops when a limit is exceeded. Blocks on the file system.
    init(of folders: [String], _ limits: ContainerWatch.Limits) {
        for folder in folders {
            guard let root = try? FileDescriptor.open(folder, [.readOnly, .directory, .noFollow]) else { continue }
            walk(root, limits, depth: 0)
        }
    }

    private mutating func walk(_ folder: FileDescriptor, _ limits: ContainerWatch.Limits, depth: Int) {
        // If the directory is removed meanwhile, its walk ends early.
        try? folder.forEachEntry { entry in
            guard entries <= limits.entries, bytes <= limits.bytes else { return }
            entries += 1
            guard let status = try? folder.status(of: entry.name) else { return }
            if status.kind == .regular || status.kind == .directory { bytes += status.allocatedSize }
            guard status.kind == .directory else { return }
            if depth == Self.mostDepth {
                entries = .max
            } else if let inner = Self.open(entry.name, in: folder) {
                walk(inner, limits, depth: depth + 1)
            }
        }
    }

    /// Opens a directory. If its mode forbids the owner to read it, changes the mode. Otherwise a process could fill
    /// the directory unnoticed.
    private static func open(_ name: FileName, in folder: FileDescriptor) -> FileDescriptor? {
        do throws(Errno) {
            return try folder.open(entry: name, [.readOnly, .directory])
        } catch {
            guard error == .permissionDenied, let found = try? folder.open(entry: name, [.pathOnly, .directory]),
                let status = try? found.status(), status.kind == .directory, status.owner == geteuid()
            else { return nil }
            chmod("/proc/self/fd/\(found.rawValue)", status.permissions | 0o700)
            return try? found.open(".", [.readOnly, .directory])
        }
    }
}

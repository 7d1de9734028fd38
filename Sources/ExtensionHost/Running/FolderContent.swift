import Glibc
import LinuxSystem

/// The number of files in directories, and their bytes on disk, measured while a process may change the directories.
///
/// Unlike ``TreeWalker``, the walk continues if a directory changes, does not store lists of names, and opens
/// directories that their owner may not read.
struct FolderContent {
    private(set) var entries = 0
    private(set) var bytes = 0

    /// The maximum depth of directories, which is also the number of descriptors used. Few programs have deeper
    /// directories. A deeper directory counts as too many files.
    private static let mostDepth = 256

    init() {}

    /// Walks directories, and stops at the first limit that is exceeded. Blocks on the file system.
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

    /// Opens a directory. Makes it readable if its owner made it unreadable. Otherwise a process could fill it
    /// unnoticed.
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

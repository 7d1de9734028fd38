import FileCoordination
import Foundation
import ItemProvider
import LinuxSystem

/// The folder that an extension has to itself: its home, with `Documents` and a folder for temporary files.
struct Container: Sendable {
    let path: String
    var temporary: String { path + "/tmp" }

    /// Makes what is missing of it. Blocks on the file system.
    init(of bundle: ExtensionBundle, data: String) throws {
        path = data + "/containers/" + bundle.identifier
        for folder in [temporary, path + "/Documents", path + "/Library/Caches"] {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
    }

    /// What the extension finds in its environment, and nothing else.
    func environment(language: String?) -> [String] {
        [
            "HOME=\(path)", "TMPDIR=\(temporary)", "PATH=/usr/bin:/bin", "LANG=\(language ?? "C.UTF-8")",
            // Foundation asks the user database for the home folder, and this before it.
            "CFFIXED_USER_HOME=\(path)",
            // A folder that it is handed is copied into its container.
            "\(FolderPlacement.environmentKey)=1",
            "\(ScopeLink.environmentKey)=\(ScopeLink.descriptorNumber)",
            "XDG_CACHE_HOME=\(path)/Library/Caches", "XDG_DATA_HOME=\(path)/Library",
            // Tracing a crash takes a second process, which it may not start.
            "SWIFT_BACKTRACE=enable=no",
            // Memory that is reserved for each thread counts against its limit.
            "MALLOC_ARENA_MAX=2",
        ]
    }
}

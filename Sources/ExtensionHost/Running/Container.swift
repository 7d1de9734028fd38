import AppExtension
import FileCoordination
import Foundation
import ItemProvider
import LinuxSystem

/// The private directory of an extension. It is the extension's home directory, and contains `Documents` and a
/// directory for temporary files.
struct Container: Sendable {
    let path: String
    var temporary: String { path + "/tmp" }

    /// The error that a directory in a container is unusable, for example because the extension has replaced it by a
    /// symbolic link.
    struct UnusableError: Error, CustomStringConvertible {
        let description: String
    }

    /// Creates the container's missing directories. Blocks on the file system.
    ///
    /// The extension may have replaced a directory by a symbolic link. Links are not followed, because this function
    /// would otherwise create directories at their targets.
    init(of bundle: ExtensionBundle, data: String) throws {
        path = Self.path(of: bundle.identifier, data: data)
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let container = try FileDescriptor.open(path, [.readOnly, .directory, .noFollow])
        for names in [["tmp"], ["Documents"], ["Library", "Caches"]] {
            var folder = container
            for name in names.compactMap({ FileName($0) }) {
                do throws(Errno) {
                    folder = try folder.openOrMakeDirectory(name, permissions: 0o700)
                } catch {
                    throw UnusableError(
                        description: "\(name) in its container \(path) is not a folder that can be used: \(error)")
                }
            }
        }
    }

    /// Returns the path of the container of the extension with the given identifier.
    static func path(of identifier: String, data: String) -> String { containers(data: data) + "/" + identifier }

    static func containers(data: String) -> String { data + "/containers" }

    /// Removes the temporary files that earlier processes of the extension created when they loaded items. A killed
    /// process cannot remove these files itself. Blocks on the file system. Symbolic links that the extension created
    /// are not followed.
    func sweep() {
        guard var folder = try? FileDescriptor.open(path, [.readOnly, .directory, .noFollow]) else { return }
        for name in Self.loads {
            guard let name = FileName(name), let next = try? folder.open(entry: name, [.readOnly, .directory]) else {
                return
            }
            folder = next
        }
        TemporaryName.sweep(folder)
    }

    /// The path, relative to a container, of the directory in which a confined process stores the items that it loads.
    /// The directory is beneath `XDG_DATA_HOME`.
    private static let loads = ["Library", "purvey", "loads"]

    /// Returns the environment variables for a process of this extension, as `NAME=value`. The process inherits no
    /// variables from the daemon.
    ///
    /// - Parameter coordinates: Whether the process has a socket for file coordination.
    func environment(language: String?, coordinates: Bool) -> [String] {
        let link = coordinates ? ["\(CoordinationLink.environmentKey)=\(CoordinationLink.descriptorNumber)"] : []
        return link + [
            "HOME=\(path)", "TMPDIR=\(temporary)", "PATH=/usr/bin:/bin", "LANG=\(language ?? "C.UTF-8")",
            // Foundation reads this variable before it looks up the home directory in the user database.
            "CFFIXED_USER_HOME=\(path)",
            // Directories that the extension loads are copied into its container, because Landlock denies access to the
            // originals.
            "\(FolderPlacement.environmentKey)=1",
            "\(ScopeLink.environmentKey)=\(ScopeLink.descriptorNumber)",
            "XDG_CACHE_HOME=\(path)/Library/Caches", "XDG_DATA_HOME=\(path)/Library",
            // Swift's backtraces of crashes need a second process, which the extension may not start.
            "SWIFT_BACKTRACE=enable=no",
            // The memory that malloc reserves for each thread counts against the extension's limit.
            "MALLOC_ARENA_MAX=2",
        ]
    }
}

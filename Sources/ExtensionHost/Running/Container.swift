import AppExtension
import FileCoordination
import Foundation
import ItemProvider
import LinuxSystem

/// The folder that an extension has to itself: its home, with `Documents` and a folder for temporary files.
struct Container: Sendable {
    let path: String
    var temporary: String { path + "/tmp" }

    /// A container in which the extension has put something else in the place of one of its folders.
    struct Unusable: Error, CustomStringConvertible {
        let description: String
    }

    /// Makes what is missing of it. Blocks on the file system.
    ///
    /// What is in it the extension may have replaced: no link of its is followed, or it would have folders made elsewhere.
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
                    throw Unusable(
                        description: "\(name) in its container \(path) is no folder that can be used: \(error)")
                }
            }
        }
    }

    /// Where an extension's container is.
    static func path(of identifier: String, data: String) -> String { containers(data: data) + "/" + identifier }

    static func containers(data: String) -> String { data + "/containers" }

    /// Removes the files of loads whose process has ended: one that is ended by its host has no time to. Blocks on the file
    /// system; no link of the extension's is followed.
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

    /// Where a confined process keeps the files of its loads: beneath `XDG_DATA_HOME`.
    private static let loads = ["Library", "purvey", "loads"]

    /// What the extension finds in its environment, and nothing else.
    /// - Parameter coordinates: whether it has a socket for file coordination.
    func environment(language: String?, coordinates: Bool) -> [String] {
        let link = coordinates ? ["\(CoordinationLink.environmentKey)=\(CoordinationLink.descriptorNumber)"] : []
        return link + [
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

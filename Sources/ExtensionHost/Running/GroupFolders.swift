import AppExtension
import FileCoordination
import Foundation
import LinuxSystem

/// The folders that an extension shares with the programs of the groups that its property list declares.
struct GroupFolders: Sendable {
    /// The folder of each group.
    let paths: [String]
    private let folder: String

    /// Makes those that are missing. Blocks on the file system.
    ///
    /// - Parameters:
    ///   - container: the extension's own, in which its groups were kept once: what is there moves to the group.
    ///   - data: the folder of what Purvey keeps for this user.
    init(of bundle: ExtensionBundle, container: Container, data: String) throws {
        folder = AppGroup.folder(data: data)
        paths = bundle.groups.map { [folder] in folder + "/" + $0 }
        guard !paths.isEmpty else { return }
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let groups = try FileDescriptor.open(folder, [.readOnly, .directory])
        for name in bundle.groups.compactMap({ FileName($0) }) {
            if (try? groups.status(of: name)) == nil { container.giveGroup(name, to: groups) }
            _ = try groups.openOrMakeDirectory(name, permissions: 0o700)
        }
    }

    /// The variables for the extension's environment.
    var variables: [String] { ["\(AppGroup.environmentKey)=\(folder)"] }
}

extension Container {
    /// Moves the folder of a group that the extension had to itself; where there is none, nothing happens. No link of the
    /// extension's is followed.
    fileprivate func giveGroup(_ name: FileName, to groups: FileDescriptor) {
        guard var own = try? FileDescriptor.open(path, [.readOnly, .directory, .noFollow]) else { return }
        for part in ["Library", "purvey", "groups"] {
            guard let part = FileName(part), let next = try? own.open(entry: part, [.readOnly, .directory]) else {
                return
            }
            own = next
        }
        guard (try? own.status(of: name))?.kind == .directory else { return }
        // Another process may have made the group's folder meanwhile: then that is it.
        try? own.move(name, into: groups, as: name)
    }
}

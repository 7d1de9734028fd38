import AppExtension
import FileCoordination
import Foundation
import Glibc
import LinuxSystem

/// The directories of the app groups that an extension's property list declares. The extension shares each directory
/// with the other programs of the group.
struct GroupFolders: Sendable {
    /// The path of each group's directory.
    let paths: [String]
    private let folder: String

    /// Creates the directories that are missing. Blocks on the file system.
    ///
    /// - Parameters:
    ///   - container: The extension's container. Older builds stored the groups' directories in the container. If the
    ///     directory of a group is missing, the directory in the container is moved to the current location.
    ///   - data: The directory of Purvey's data for this user.
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

    /// The environment variables to add for the extension's process, as `NAME=value`.
    var variables: [String] { ["\(AppGroup.environmentKey)=\(folder)"] }
}

extension Container {
    /// Moves the directory of the group `name` out of the container into `groups`. Does nothing if the container does
    /// not contain such a directory. Symbolic links that the extension created are not followed.
    fileprivate func giveGroup(_ name: FileName, to groups: FileDescriptor) {
        guard var own = try? FileDescriptor.open(path, [.readOnly, .directory, .noFollow]) else { return }
        for part in ["Library", "purvey", "groups"] {
            guard let part = FileName(part), let next = try? own.open(entry: part, [.readOnly, .directory]) else {
                return
            }
            own = next
        }
        guard (try? own.status(of: name))?.kind == .directory else { return }
        // If another process has created the group's directory meanwhile, and it is not empty, the rename fails. The
        // two directories are not exchanged, because that would move the other process's files into the extension's
        // container.
        _ = renameat(own.rawValue, name.description, groups.rawValue, name.description)
    }
}

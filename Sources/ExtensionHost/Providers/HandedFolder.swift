import Glibc
import LinuxSystem
import Sandbox

/// A local directory that the user chose for a domain, so that the domain's provider serves it (a handed directory).
/// The value records the path and the identity that the directory had at that time.
///
/// A provider could replace a directory by a symbolic link, for example to another domain's directory. Therefore the
/// path alone is never used: links in the path are not followed, and a directory with another identity is refused.
package struct HandedFolder: Sendable, Equatable {
    /// The absolute path. It contained no symbolic links when the user chose the directory.
    package let path: String
    /// The ``FolderIdentity`` of the directory, as it is stored on disk.
    package let identity: String

    package init(path: String, identity: String) {
        self.path = path
        self.identity = identity
    }

    /// Records the path and identity of the directory at the given path, which may contain symbolic links. Blocks on
    /// the file system.
    init(at path: String) throws(Errno) {
        guard let resolved = ProviderDomain.canonical(path) else { throw .current }
        let folder = try FileDescriptor.openFolder(withoutLinks: resolved)
        self.path = resolved
        identity = String(decoding: try FolderIdentity(of: folder).bytes, as: UTF8.self)
    }

    /// Opens the directory with O_PATH. Blocks on the file system.
    ///
    /// - Throws: an error that names the directory, if the directory does not exist, or is another directory than the
    ///   one that the user chose.
    func open() throws(HandedFolderError) -> FileDescriptor {
        do throws(Errno) {
            let folder = try FileDescriptor.openFolder(withoutLinks: path)
            if try FolderIdentity(of: folder).isSame(as: Array(identity.utf8)) { return folder }
        } catch {
            // A link to a directory counts as another directory. A file, or a link to a file, is an error.
            guard error == .notDirectory || error.rawValue == ELOOP, let there = try? FileStatus.of(path),
                there.kind == .directory
            else { throw HandedFolderError(path, error) }
        }
        throw HandedFolderError(
            description: "\(path) is another folder than the one that was handed to the domain: mount the disk of that "
                + "folder, or move it back, and everything goes on by itself ('purvey domains remove' and "
                + "'purvey domains add' serve this one instead)",
            isOther: true)
    }
}

extension HandedFolder {
    /// The directory's path, and the access to the directory that a confined process gets. The Landlock rule opens the
    /// path when the process is started. Therefore call ``open()`` before and after the start, to check that the
    /// directory at the path is the right one.
    var place: (path: String, access: Confinement.Access) { (path, [.read, .write, .withoutLinks]) }
}

/// The reason why a provider cannot serve a directory.
package struct HandedFolderError: Error, CustomStringConvertible {
    package let description: String
    /// Whether the path leads to another directory than the one that the user chose.
    package let isOther: Bool

    init(description: String, isOther: Bool = false) {
        self.description = description
        self.isOther = isOther
    }

    init(_ path: String, _ error: Errno) {
        self.init(description: error == .notDirectory ? "\(path) is not a folder" : "\(path): \(error)")
    }
}

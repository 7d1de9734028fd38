import Glibc
import LinuxSystem
import Sandbox

/// A local directory that the user handed to a domain, so that the domain's provider serves it: the path and the
/// identity that the directory had at that time.
///
/// A provider could replace a directory within its own directory by a link, for example to another domain's directory.
/// Therefore the path alone is never used: links in the path are not followed, and a directory with another identity is
/// refused.
package struct HandedFolder: Sendable, Equatable {
    /// The absolute path. It contained no symbolic links when the directory was handed over.
    package let path: String
    /// The ``FolderIdentity`` in the form that is stored on disk.
    package let identity: String

    package init(path: String, identity: String) {
        self.path = path
        self.identity = identity
    }

    /// Records the directory at a path, which may contain links. Blocks on the file system.
    init(at path: String) throws(Errno) {
        guard let resolved = ProviderDomain.canonical(path) else { throw .current }
        let folder = try FileDescriptor.openFolder(withoutLinks: resolved)
        self.path = resolved
        identity = String(decoding: try FolderIdentity(of: folder).bytes, as: UTF8.self)
    }

    /// Opens the directory with O_PATH. Blocks on the file system.
    ///
    /// - Throws: a fault that names the directory, if the directory does not exist, or is not the directory that was
    ///   handed over.
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
            description: "\(path) is another folder than the one that was handed to the domain; "
                + "'purvey domains remove' and 'purvey domains add' hand over this one",
            isOther: true)
    }
}

extension HandedFolder {
    /// The directory, and the access that a confined process gets. The Landlock rule opens the path again. Therefore
    /// call ``open()`` before and after the start of the process, to check which directory was at the path.
    var place: (path: String, access: Confinement.Access) { (path, [.read, .write, .withoutLinks]) }
}

/// The reason why a directory cannot be handed to a provider.
package struct HandedFolderError: Error, CustomStringConvertible {
    package let description: String
    /// Whether another directory than the handed one exists at the path.
    package let isOther: Bool

    init(description: String, isOther: Bool = false) {
        self.description = description
        self.isOther = isOther
    }

    init(_ path: String, _ error: Errno) {
        self.init(description: error == .notDirectory ? "\(path) is not a folder" : "\(path): \(error)")
    }
}

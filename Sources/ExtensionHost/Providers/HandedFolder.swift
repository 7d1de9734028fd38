import Glibc
import LinuxSystem

/// A folder that a user handed to a domain: the place and the identity that it had then.
///
/// A provider may put a link in the place of a folder within its own, and another domain's folder may lie there. So the
/// folder is never looked up by a path alone: no link is followed on the way to it, and another folder is refused.
package struct HandedFolder: Sendable, Equatable {
    /// The absolute path. It led over no symbolic link when the folder was handed over.
    package let path: String
    /// The ``FolderIdentity``, as it is kept on disk.
    package let identity: String

    package init(path: String, identity: String) {
        self.path = path
        self.identity = identity
    }

    /// Notes what is at a path, which may lead over links. Blocks on the file system.
    init(at path: String) throws(Errno) {
        guard let resolved = ProviderDomain.canonical(path) else { throw .current }
        let folder = try FileDescriptor.openFolder(withoutLinks: resolved)
        self.path = resolved
        identity = String(decoding: try FolderIdentity(of: folder).bytes, as: UTF8.self)
    }

    /// Opens the very folder, as a mere handle. Blocks on the file system.
    ///
    /// - Throws: a fault that names the folder where there is none, or another one.
    func open() throws(HandedFolderFault) -> FileDescriptor {
        do throws(Errno) {
            let folder = try FileDescriptor.openFolder(withoutLinks: path)
            if try FolderIdentity(of: folder).isSame(as: Array(identity.utf8)) { return folder }
        } catch {
            // A link to a folder is another folder; a file there is none at all.
            guard error == .notDirectory || error.rawValue == ELOOP, let there = try? FileStatus.of(path),
                there.kind == .directory
            else { throw HandedFolderFault(path, error) }
        }
        throw HandedFolderFault(
            description: "\(path) is another folder than the one that was handed to the domain; "
                + "'purvey domains remove' and 'purvey domains add' hand over this one",
            isOther: true)
    }
}

extension HandedFolder {
    /// The folder as a confined process reaches it. The kernel's rule is made by the path, so ``open()`` is called
    /// before and after the process is started.
    var place: (path: String, access: Confinement.Access) { (path, [.read, .write, .withoutLinks]) }
}

/// A folder that cannot be handed to a provider.
package struct HandedFolderFault: Error, CustomStringConvertible {
    package let description: String
    /// Whether there is a folder at the path, but not the one that was handed over.
    package let isOther: Bool

    init(description: String, isOther: Bool = false) {
        self.description = description
        self.isOther = isOther
    }

    init(_ path: String, _ error: Errno) {
        self.init(description: error == .notDirectory ? "\(path) is not a folder" : "\(path): \(error)")
    }
}

import Foundation
import Glibc
import LinuxSystem

/// A file that client code answered with, for as long as the answer is on its way.
enum AnsweredFile {
    /// Opens such a file, and removes its name where that is this process's to remove: in a folder for temporary files. Whatever lies
    /// anywhere else may be the person's own, or the provider's only copy, and stays.
    ///
    /// To be called for each answer, also for one that nobody waits for.
    ///
    /// - Parameter temporary: the folder for files on their way to and from the provider.
    /// - Throws: `wrongKind` as `isDirectory` where it is no regular file.
    static func take(_ url: URL, temporary: String) throws(Errno) -> FileDescriptor {
        guard url.isFileURL else { throw .invalidArgument }
        let file = try FileDescriptor.open(url.path, [.readOnly, .nonBlocking])
        let status = try file.status()
        guard status.kind == .regular else { throw .isDirectory }
        remove(url, status, temporary)
        return file
    }

    private static func remove(_ url: URL, _ status: FileStatus, _ temporary: String) {
        guard let name = FileName(url.path.lastPathName),
            let folder = try? FileDescriptor.open(url.deletingLastPathComponent().path, [.readOnly, .directory]),
            // A link that leads to it from there is not the file.
            (try? folder.status(of: name))?.identity == status.identity,
            let path = folder.path,
            [temporary, NSTemporaryDirectory()].contains(where: { path.isOrIsWithin(realPath($0)) })
        else { return }
        try? folder.removeFile(name)
    }

    /// The path without symbolic links; `nil` where it leads nowhere.
    private static func realPath(_ path: String) -> String? {
        (try? FileDescriptor.open(path, [.pathOnly, .directory]))?.path
    }
}

extension String {
    fileprivate func isOrIsWithin(_ folder: String?) -> Bool {
        guard let folder else { return false }
        return pathNames(beneath: folder) != nil
    }
}

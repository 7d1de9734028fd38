import Foundation
import Glibc
import LinuxSystem

/// The functions for files that provider code returns and that the engine receives.
enum ReturnedFile {
    /// Opens a returned file. If the file is in a directory for temporary files, removes it from the directory. Any
    /// other file stays, because it may belong to the user or be the provider's only copy.
    ///
    /// Call this for every reply, even for a reply that comes too late.
    ///
    /// - Parameter temporary: the directory for files in transfer between engine and provider.
    /// - Throws: `isDirectory` if the file is not a regular file, `invalidArgument` if the URL is not a file URL.
    static func take(_ url: URL, temporary: String) throws(Errno) -> FileDescriptor {
        guard url.isFileURL else { throw .invalidArgument }
        if let contents = FileProviderContents.taken(url.path) { return contents }
        let file = try FileDescriptor.open(url.path, [.readOnly, .nonBlocking])
        let status = try file.status()
        guard status.kind == .regular else { throw .isDirectory }
        remove(url, status, temporary)
        return file
    }

    private static func remove(_ url: URL, _ status: FileStatus, _ temporary: String) {
        guard let name = FileName(url.path.lastPathName),
            let folder = try? FileDescriptor.open(url.deletingLastPathComponent().path, [.readOnly, .directory]),
            // The entry must be the file itself, and not a symbolic link to it.
            (try? folder.status(of: name))?.identity == status.identity,
            let path = folder.path,
            [temporary, NSTemporaryDirectory()].contains(where: { path.isOrIsWithin(realPath($0)) })
        else { return }
        try? folder.removeFile(name)
    }

    /// Returns the path without symbolic links; `nil` if it does not exist.
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

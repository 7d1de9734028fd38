import Glibc

/// The first bytes of a regular file.
enum FileContents {
    struct FileContentsError: Error {
        let code: Int32

        var reason: String { String(cString: strerror(code)) }
    }

    /// Reads up to `count` bytes from the start of the file at `path`. The file is opened only if it is a regular
    /// file (a symbolic link is not followed), because opening a device or a named pipe can have effects, or never
    /// return.
    static func read(_ path: String, atMost count: Int) throws(FileContentsError) -> [UInt8] {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw FileContentsError(code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw FileContentsError(code: EINVAL) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw FileContentsError(code: errno) }
        defer { close(descriptor) }
        guard fstat(descriptor, &status) == 0 else { throw FileContentsError(code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw FileContentsError(code: EINVAL) }

        var failure: Int32 = 0
        // Files of /proc have a size of zero but are not empty.
        let capacity = min(count, max(Int(status.st_size), 4096))
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, filled in
            while filled < capacity {
                let length = pread(
                    descriptor, UnsafeMutableRawBufferPointer(buffer).baseAddress.map { $0 + filled },
                    capacity - filled, off_t(filled))
                if length > 0 {
                    filled += length
                } else if length == 0 {
                    break
                } else if errno != EINTR {
                    failure = errno
                    break
                }
            }
        }
        guard failure == 0 else { throw FileContentsError(code: failure) }
        return bytes
    }
}

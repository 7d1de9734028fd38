import Glibc

/// One `mime.cache` file that `update-mime-database` has written, mapped into memory.
///
/// The layout is that of the Shared MIME-info Database specification, "The mime.cache files", version 1.2: lists and
/// trees of big-endian 32-bit words that refer to each other by offset. Nothing in the file is trusted: every access
/// checks its offset and reads 0 ("nothing") beyond the end. The cost of reading a file is limited separately, because
/// the parts of a file may overlap in any way: a list has at most ``mostEntries`` entries, a string has at most
/// ``longestString`` bytes, and references are followed only for a limited number of steps.
final class MIMECache: @unchecked Sendable {
    // Sendable: every property is immutable after init, and the memory is never written to.

    /// The lists, in the order of the header.
    enum List: Int {
        case aliases, parents, literals, suffixes, globs, magic, namespaces
    }

    /// The path of the file.
    let path: String
    private let memory: Memory
    let base: UnsafeRawPointer
    let count: Int

    /// Opens a cache file, and maps or copies it; `nil` if it does not exist, cannot be used, or has a version that
    /// this reader does not know.
    init?(path: String) {
        guard let memory = Memory(path: path) else { return nil }
        let header = memory.bytes
        guard let base = header.baseAddress, header.count >= Self.headerSize,
            base.loadUnaligned(as: UInt16.self).bigEndian == 1,
            (1...2).contains(base.loadUnaligned(fromByteOffset: 2, as: UInt16.self).bigEndian)
        else { return nil }
        self.path = path
        self.memory = memory
        self.base = base
        self.count = header.count
    }

    private static let headerSize = 40
    /// The maximum number of entries of a list. The longest list of Debian's database, the suffixes, has 1,100.
    static let mostEntries = 1 << 14
    /// The maximum number of bytes of a string. No registry allows more than 127 bytes on either side of a type's slash
    /// (RFC 6838, section 4.2), and no file name has more than 255. The XML namespaces in the database are much
    /// shorter.
    static let longestString = 255

    /// Returns the word at an offset; 0 beyond the file.
    @inline(__always)
    func word(_ offset: Int) -> Int {
        guard UInt(bitPattern: offset) <= UInt(bitPattern: count &- 4) else { return 0 }
        return Int(UInt32(bigEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }

    /// Returns the offset of a list's first word.
    @inline(__always)
    func offset(of list: List) -> Int { word(4 + 4 * list.rawValue) }

    /// Returns the number of entries, of `size` bytes each, that fit into the file from the given offset on, but at
    /// most `claimed`.
    @inline(__always)
    func fitting(_ claimed: Int, at offset: Int, size: Int) -> Int {
        guard offset < count else { return 0 }
        return min(claimed, (count &- offset) / size)
    }

    /// Returns the start and the number of entries of a list that begins with its length.
    @inline(__always)
    func entries(of list: List, size: Int) -> (start: Int, count: Int) {
        let start = offset(of: list) &+ 4
        return (start, min(fitting(word(start &- 4), at: start, size: size), Self.mostEntries))
    }

    /// Returns the bytes of a zero-terminated string, without the zero; `nil` if no zero follows within the file and
    /// the limit.
    func string(_ offset: Int) -> UnsafeRawBufferPointer? {
        guard offset > 0, offset < count else { return nil }
        guard let end = memchr(base + offset, 0, min(count - offset, Self.longestString + 1)) else { return nil }
        return UnsafeRawBufferPointer(start: base + offset, count: UnsafeRawPointer(end) - (base + offset))
    }

    /// Returns bytes at an offset; `nil` if they are not all within the file.
    func bytes(_ offset: Int, count length: Int) -> UnsafeRawBufferPointer? {
        guard offset >= 0, length >= 0, offset <= count, length <= count - offset else { return nil }
        return UnsafeRawBufferPointer(start: base + offset, count: length)
    }
}

extension MIMECache {
    /// The memory of the file.
    ///
    /// The specification requires that caches are replaced by renaming, so that a mapped file keeps its pages. If a
    /// file is truncated in place, however, reading it ends the process with SIGBUS. This risk is accepted for files
    /// that only root or this user can write, because both can harm this process in any case. Any other file is copied
    /// instead.
    private final class Memory {
        let bytes: UnsafeRawBufferPointer
        private let isMapped: Bool

        /// The maximum size of a cache file in bytes, a hundred times that of Debian's database. It limits the cost of
        /// a hostile file.
        private static let largestSize = 16 << 20

        init?(path: String) {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                status.st_size >= MIMECache.headerSize, status.st_size <= Self.largestSize
            else { return nil }
            let size = Int(status.st_size)
            let isOurs = status.st_uid == 0 || status.st_uid == geteuid()
            if isOurs, status.st_mode & (S_IWGRP | S_IWOTH) == 0 {
                let address = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0)
                guard let address, address != MAP_FAILED else { return nil }
                bytes = UnsafeRawBufferPointer(start: address, count: size)
                isMapped = true
            } else {
                let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
                guard Self.fill(copy, from: descriptor) else {
                    copy.deallocate()
                    return nil
                }
                bytes = UnsafeRawBufferPointer(copy)
                isMapped = false
            }
        }

        deinit {
            if isMapped {
                munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
            } else {
                bytes.deallocate()
            }
        }

        /// Reads until the buffer is full. Returns `false` if the file has become shorter. In this case the file is not
        /// used.
        private static func fill(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: CInt) -> Bool {
            var done = 0
            while done < buffer.count {
                let count = read(descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done)
                if count > 0 {
                    done += count
                } else if count == 0 || errno != EINTR {
                    return false
                }
            }
            return true
        }
    }
}

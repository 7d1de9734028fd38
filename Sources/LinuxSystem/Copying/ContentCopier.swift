import CLinux
import Glibc

/// The reason why the contents of one file were not copied. The function that opened the file adds its path.
enum ContentError: Error {
    case cancelled
    case changed
    case system(Errno)

    func atPath(_ path: String) -> CopyError {
        switch self {
        case .cancelled: .cancelled
        case .changed: .changedDuringCopy(path: path)
        case .system(let error): CopyError(error, path: path)
        }
    }
}

/// Copies the contents of regular files. The copier uses the fastest method that the file systems of both files
/// support, and detects whether the source changed during the copy.
///
/// The copier neither uses nor moves the positions of descriptors, because other processes may share the positions. If
/// `movesPositions` is `true`, it may move the position of the source.
struct ContentCopier: ~Copyable {
    /// The maximum number of bytes that one call of copy_file_range(2) copies. Such a call takes some milliseconds, so
    /// that a cancellation takes effect soon.
    private static let rangePiece = 16 << 20
    private static let bufferPiece = 1 << 20

    /// The device number of the last file system that does not support clones. It is recorded so that a copy of many
    /// small files from that file system tries to clone only once.
    private var deviceWithoutClone: UInt64?
    private var deviceWithoutRange: UInt64?
    private var buffer: UnsafeMutableRawBufferPointer?
    /// Whether the copier may change the position of a source, because no other process uses that position.
    private let movesPositions: Bool

    init(movesPositions: Bool = false) { self.movesPositions = movesPositions }

    deinit { buffer?.deallocate() }

    /// Copies all of `source` to `target`, which is empty.
    ///
    /// - Parameters:
    ///   - before: the source's status at an earlier time. It is used to detect that the source has changed since then,
    ///     in which case the copy fails.
    ///   - advanced: called after each piece with the number of bytes in the piece.
    /// - Returns: the slowest method that was used.
    mutating func copy(
        _ source: FileDescriptor, _ before: FileStatus, to target: FileDescriptor,
        advanced: (Int) -> Void, isCancelled: () -> Bool
    ) throws(ContentError) -> CopyMethod {
        if isCancelled() { throw .cancelled }
        if before.size > 0, try clone(source, before, to: target) {
            advanced(before.size)
            return .clone
        }
        let method = try copyBytes(source, before, to: target, advanced: advanced, isCancelled: isCancelled)
        try Self.check(source, before, 0..<Int.max, target)
        return method
    }

    /// Copies a range of `source` to the same range of `target`. That range of `target` must be a hole.
    ///
    /// - Parameter before: the source's status at an earlier time. It is used to detect that the source has changed
    ///   since then, in which case the copy fails.
    mutating func copy(
        _ range: Range<Int>, of source: FileDescriptor, _ before: FileStatus, to target: FileDescriptor,
        isCancelled: () -> Bool
    ) throws(ContentError) {
        if isCancelled() { throw .cancelled }
        guard before.size >= range.upperBound else { throw .changed }
        let prober = prober(source, before)
        if before.isSparse, prober == nil {
            try readAndWrite(
                source, range, to: target, skipsZeros: true, advanced: { _ in }, isCancelled: isCancelled)
        }
        var position = before.isSparse && prober == nil ? range.upperBound : range.lowerBound
        while position < range.upperBound {
            var data: Range<Int>? = position..<range.upperBound
            if let prober { data = try Self.data(of: prober, from: position, size: range.upperBound) }
            guard let data else { break }
            _ = try copyRange(source, before, data, to: target, advanced: { _ in }, isCancelled: isCancelled)
            position = data.upperBound
        }
        try Self.check(source, before, range, target)
    }

    /// The maximum number of times that a copy is compared with its source because the source's ctime has changed.
    private static let comparisons = 3

    /// Throws an error if the source may have changed during the copy.
    ///
    /// A program that writes to the source may restore the modification date, but the ctime changes in any case. The
    /// ctime also changes when permissions or links change. Therefore, if the ctime has changed, the bytes are
    /// compared. Other processes may create and remove links continuously, so that the ctime changes again during the
    /// comparison. Therefore the last comparison decides in any case.
    private static func check(
        _ source: FileDescriptor, _ before: FileStatus, _ range: Range<Int>, _ target: FileDescriptor
    ) throws(ContentError) {
        var last = before
        for count in 0...comparisons {
            let now = try call { () throws(Errno) in try source.status() }
            guard now.hasSameContent(as: before) else { throw .changed }
            // The status of files that are generated when they are read, as in /proc, does not show changes.
            if before.size == 0 || now.changedNanoseconds == last.changedNanoseconds || count == comparisons { return }
            last = now
            guard (try? ContentComparison.areEqual(source, target, in: range)) == true else { throw .changed }
        }
    }

    private static func call<Result>(_ body: () throws(Errno) -> Result) throws(ContentError) -> Result {
        do throws(Errno) { return try body() } catch { throw .system(error) }
    }

    /// Clones the source into the target with the ioctl FICLONE, which is atomic. Returns `false` if the file systems
    /// do not support this.
    private mutating func clone(
        _ source: FileDescriptor, _ before: FileStatus, to target: FileDescriptor
    ) throws(ContentError) -> Bool {
        guard deviceWithoutClone != before.identity.device else { return false }
        do throws(Errno) {
            try retrying { clinux_clone(target.rawValue, source.rawValue) }
        } catch {
            if error == .noSpace || error == .quotaExceeded { throw .system(error) }
            deviceWithoutClone = before.identity.device
            return false
        }
        // The source may have changed between its status and the clone.
        guard try Self.call({ () throws(Errno) in try target.status() }).size == before.size else { throw .changed }
        return true
    }

    private mutating func copyBytes(
        _ source: FileDescriptor, _ before: FileStatus, to target: FileDescriptor,
        advanced: (Int) -> Void, isCancelled: () -> Bool
    ) throws(ContentError) -> CopyMethod {
        guard before.size > 0 else {
            // Generated files, as in /proc, have size 0 and must be read to the end.
            try readAndWrite(source, 0..<Int.max, to: target, advanced: advanced, isCancelled: isCancelled)
            return .readWrite
        }
        if before.isSparse {
            if let prober = prober(source, before) {
                return try copyData(
                    source, before, prober: prober, to: target, advanced: advanced, isCancelled: isCancelled)
            }
            try readAndWrite(
                source, 0..<before.size, to: target, skipsZeros: true, advanced: advanced, isCancelled: isCancelled)
            try Self.call { () throws(Errno) in try target.truncate(to: before.size) }
            return .readWrite
        }
        return try copyRange(
            source, before, 0..<before.size, to: target, advanced: advanced, isCancelled: isCancelled)
    }

    /// Returns a descriptor of a sparse source for calls of SEEK_DATA. These calls change the descriptor's position.
    /// Therefore the file is opened a second time, through `/proc`. In a confined process, which has no `/proc`, the
    /// source itself is returned if its position may be moved. Returns `nil` if the source is not sparse, or if no
    /// descriptor can be used.
    private func prober(_ source: FileDescriptor, _ before: FileStatus) -> FileDescriptor? {
        guard before.isSparse else { return nil }
        return (try? source.reopen(.readOnly)) ?? (movesPositions ? source : nil)
    }

    /// Copies the data ranges of a sparse file, and sets the length of the target.
    ///
    /// - Parameter prober: a descriptor of the source file whose position may be moved.
    private mutating func copyData(
        _ source: FileDescriptor, _ before: FileStatus, prober: FileDescriptor, to target: FileDescriptor,
        advanced: (Int) -> Void, isCancelled: () -> Bool
    ) throws(ContentError) -> CopyMethod {
        var method = CopyMethod.copyFileRange
        var position = 0
        while position < before.size {
            guard let data = try Self.data(of: prober, from: position, size: before.size) else { break }
            advanced(data.lowerBound - position)
            let used = try copyRange(
                source, before, data, to: target, advanced: advanced, isCancelled: isCancelled)
            if used == .readWrite { method = used }
            position = data.upperBound
        }
        advanced(before.size - position)
        try Self.call { () throws(Errno) in try target.truncate(to: before.size) }
        return method
    }

    /// Returns the next range of data at or after `position`; `nil` if the rest of the file is a hole.
    private static func data(
        of file: FileDescriptor, from position: Int, size: Int
    ) throws(ContentError) -> Range<Int>? {
        do throws(Errno) {
            let start = try retrying { lseek(file.rawValue, off_t(position), clinux_seek_data) }
            let end = try retrying { lseek(file.rawValue, start, clinux_seek_hole) }
            guard start >= position, end > start, start < size else { return nil }
            return start..<min(end, size)
        } catch {
            if error.rawValue == ENXIO { return nil }
            // The file system does not support SEEK_DATA, so all of the file counts as data.
            return position..<size
        }
    }

    private mutating func copyRange(
        _ source: FileDescriptor, _ before: FileStatus, _ range: Range<Int>, to target: FileDescriptor,
        advanced: (Int) -> Void, isCancelled: () -> Bool
    ) throws(ContentError) -> CopyMethod {
        var position = range.lowerBound
        while position < range.upperBound, deviceWithoutRange != before.identity.device {
            if isCancelled() { throw .cancelled }
            var input = Int64(position)
            var output = input
            let length = min(Self.rangePiece, range.upperBound - position)
            do throws(Errno) {
                let copied = try retrying {
                    clinux_copy_file_range(source.rawValue, &input, target.rawValue, &output, length)
                }
                // Zero means the end of the file, or a file system without a working implementation. Reading finds
                // out which.
                guard copied > 0 else { break }
                position += copied
                advanced(copied)
            } catch {
                guard Self.meansUnsupported(error) else { throw .system(error) }
                deviceWithoutRange = before.identity.device
            }
        }
        guard position < range.upperBound else { return .copyFileRange }
        try readAndWrite(
            source, position..<range.upperBound, to: target, advanced: advanced, isCancelled: isCancelled)
        return .readWrite
    }

    private static func meansUnsupported(_ error: Errno) -> Bool {
        switch error.rawValue {
        case EXDEV, EINVAL, ENOSYS, EOPNOTSUPP, EPERM, EBADF, ETXTBSY: true
        default: false
        }
    }

    /// Copies a range through a buffer.
    ///
    /// - Parameters:
    ///   - range: the bytes to copy. An upper bound of `Int.max` stands for the end of the file. With any other bound,
    ///     the copy fails if the file ends before it.
    ///   - skipsZeros: whether blocks that contain only zeros are skipped instead of written. This preserves holes if
    ///     SEEK_DATA cannot be used.
    private mutating func readAndWrite(
        _ source: FileDescriptor, _ range: Range<Int>, to target: FileDescriptor, skipsZeros: Bool = false,
        advanced: (Int) -> Void, isCancelled: () -> Bool
    ) throws(ContentError) {
        let room = buffer ?? .allocate(byteCount: Self.bufferPiece, alignment: 4096)
        buffer = room
        var position = range.lowerBound
        while position < range.upperBound {
            if isCancelled() { throw .cancelled }
            let piece = UnsafeMutableRawBufferPointer(rebasing: room[..<min(room.count, range.upperBound - position)])
            let count = try Self.call { () throws(Errno) in try source.read(into: piece, at: position) }
            if count == 0 {
                if range.upperBound == Int.max { return }
                throw .changed
            }
            try Self.call { () throws(Errno) in
                let bytes = UnsafeRawBufferPointer(rebasing: piece[..<count])
                if skipsZeros {
                    try Self.writeData(of: bytes, to: target, at: position)
                } else {
                    try target.writeAll(bytes, at: position)
                }
            }
            position += count
            advanced(count)
        }
    }

    /// The size in bytes of the blocks that are skipped if they contain only zeros. Holes are rarely smaller.
    private static let skippedPiece = 64 << 10

    private static func writeData(
        of bytes: UnsafeRawBufferPointer, to target: FileDescriptor, at position: Int
    ) throws(Errno) {
        var start = 0
        while start < bytes.count {
            let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + skippedPiece, bytes.count)])
            if !isZero(piece) { try target.writeAll(piece, at: position + start) }
            start += piece.count
        }
    }

    private static func isZero(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress, bytes.count > 0 else { return true }
        // All bytes are zero if the first byte is zero and each other byte equals the one before it.
        return bytes[0] == 0 && memcmp(base, base + 1, bytes.count - 1) == 0
    }
}

import CLinux
import Glibc

/// Why the content of one file was not copied; who copies several files adds which one it was.
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

/// Copies the bytes of regular files, each in the fastest way the two file systems allow, and proves that the file did
/// not change meanwhile.
///
/// Positions of the descriptors are neither used nor moved, but where that is said: other processes may share them.
struct ContentCopier: ~Copyable {
    /// What one copy_file_range(2) is asked for: some milliseconds of work, so that a cancel is soon heard.
    private static let rangePiece = 16 << 20
    private static let bufferPiece = 1 << 20

    /// The device a clone was refused for. A tree of many small files asks only once.
    private var deviceWithoutClone: UInt64?
    private var deviceWithoutRange: UInt64?
    private var buffer: UnsafeMutableRawBufferPointer?
    /// Whether the positions of sources may be moved, because no other process uses them.
    private let movesPositions: Bool

    init(movesPositions: Bool = false) { self.movesPositions = movesPositions }

    deinit { buffer?.deallocate() }

    /// Copies everything in `source` to `target`, which is empty.
    ///
    /// - Parameters:
    ///   - before: the source's status, read before anything else was decided about it.
    ///   - advanced: how many more bytes are done.
    /// - Returns: the slowest way that was needed.
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

    /// Copies some of `source` to the same place in `target`, where that has a hole.
    ///
    /// - Parameter before: as for the whole.
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

    /// The number of times that a copy is compared with a source whose date of the last change of any kind (ctime) goes on moving.
    private static let comparisons = 3

    /// Throws if the source has other contents than were copied.
    ///
    /// A program that writes to the source may set its modification date back. Then only ctime has moved, as it does with permissions and
    /// links, and the bytes are compared. Links can be made and removed all the time, so that equal bytes are enough in the end.
    private static func check(
        _ source: FileDescriptor, _ before: FileStatus, _ range: Range<Int>, _ target: FileDescriptor
    ) throws(ContentError) {
        var last = before
        for count in 0...comparisons {
            let now = try call { () throws(Errno) in try source.status() }
            guard now.hasSameContent(as: before) else { throw .changed }
            // A file that is made up when it is read has no such date.
            if before.size == 0 || now.changedNanoseconds == last.changedNanoseconds || count == comparisons { return }
            last = now
            guard (try? ContentComparison.areEqual(source, target, in: range)) == true else { throw .changed }
        }
    }

    private static func call<Result>(_ body: () throws(Errno) -> Result) throws(ContentError) -> Result {
        do throws(Errno) { return try body() } catch { throw .system(error) }
    }

    /// Shares the source's blocks with the target (FICLONE), which takes a state of the source that is whole.
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
        // The clone is what the source was at that moment, which need not be what its status said before.
        guard try Self.call({ () throws(Errno) in try target.status() }).size == before.size else { throw .changed }
        return true
    }

    private mutating func copyBytes(
        _ source: FileDescriptor, _ before: FileStatus, to target: FileDescriptor,
        advanced: (Int) -> Void, isCancelled: () -> Bool
    ) throws(ContentError) -> CopyMethod {
        guard before.size > 0 else {
            // Files made up when they are read (in /proc) say they are empty: what reading gives is what there is.
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

    /// The source of a file with holes with a position that finding data may move: a fresh open of it, which a confined process cannot
    /// have because that goes by `/proc`; else the source itself where it may be moved.
    private func prober(_ source: FileDescriptor, _ before: FileStatus) -> FileDescriptor? {
        guard before.isSparse else { return nil }
        return (try? source.reopen(.readOnly)) ?? (movesPositions ? source : nil)
    }

    /// Copies a file with holes: only its data, and then its length.
    ///
    /// - Parameter prober: the same file with a position of its own, which finding data moves.
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

    /// The next piece of a file that is not a hole, `nil` where only a hole follows.
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
            // A file system that cannot tell: everything is data.
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
                // Zero is the file's end, or a file system that only pretends to have the call: reading will tell.
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

    /// - Parameters:
    ///   - range: without an upper bound (`Int.max`) the file ends where reading ends; otherwise ending sooner means that it has
    ///     shrunk.
    ///   - skipsZeros: whether nothing is written where there are zeros only: holes that cannot be found stay holes so.
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

    /// The bytes that are skipped together if all are zeros. Holes are rarely smaller.
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
        // Each byte is the one before it, and the first is zero.
        return bytes[0] == 0 && memcmp(base, base + 1, bytes.count - 1) == 0
    }
}

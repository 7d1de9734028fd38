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
/// Positions of the descriptors are neither used nor moved: other processes may share them.
struct ContentCopier: ~Copyable {
    /// What one copy_file_range(2) is asked for: some milliseconds of work, so that a cancel is soon heard.
    private static let rangePiece = 16 << 20
    private static let bufferPiece = 1 << 20

    /// The device a clone was refused for. A tree of many small files asks only once.
    private var deviceWithoutClone: UInt64?
    private var deviceWithoutRange: UInt64?
    private var buffer: UnsafeMutableRawBufferPointer?

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
        guard try Self.call({ () throws(Errno) in try source.status() }).hasSameContent(as: before) else {
            throw .changed
        }
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
        let prober = before.isSparse ? try? source.reopen(.readOnly) : nil
        var position = range.lowerBound
        while position < range.upperBound {
            var data: Range<Int>? = position..<range.upperBound
            if let prober { data = try Self.data(of: prober, from: position, size: range.upperBound) }
            guard let data else { break }
            _ = try copyRange(source, before, data, to: target, advanced: { _ in }, isCancelled: isCancelled)
            position = data.upperBound
        }
        guard try Self.call({ () throws(Errno) in try source.status() }).hasSameContent(as: before) else {
            throw .changed
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
        if before.isSparse, let prober = try? source.reopen(.readOnly) {
            return try copyData(
                source, before, prober: prober, to: target, advanced: advanced, isCancelled: isCancelled)
        }
        return try copyRange(
            source, before, 0..<before.size, to: target, advanced: advanced, isCancelled: isCancelled)
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

    /// - Parameter range: without an upper bound (`Int.max`) the file ends where reading ends; otherwise ending sooner
    ///   means that it has shrunk.
    private mutating func readAndWrite(
        _ source: FileDescriptor, _ range: Range<Int>, to target: FileDescriptor,
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
                try target.writeAll(UnsafeRawBufferPointer(rebasing: piece[..<count]), at: position)
            }
            position += count
            advanced(count)
        }
    }
}

import Glibc
import LinuxSystem

/// The output file of an archive, written in large pieces from a position on.
struct ArchiveFile: ~Copyable {
    private static let bufferSize = 1 << 20

    private let descriptor: FileDescriptor
    private let start: Int
    let identity: FileStatus.Identity
    private var buffer: [UInt8] = []
    /// The position of the buffer's first byte.
    private var flushed: Int

    /// Prepares an output file.
    ///
    /// - Throws: ``ZipError/unsuitableOutput`` if the file cannot be written at arbitrary positions.
    init(_ descriptor: FileDescriptor, startingAt position: Int) throws(ZipError) {
        let status: FileStatus
        let flags: CInt
        do throws(Errno) {
            status = try descriptor.status()
            flags = try retrying { fcntl(descriptor.rawValue, F_GETFL) }
        } catch {
            throw ZipError(error, path: ".")
        }
        guard status.kind == .regular, flags & O_APPEND == 0, flags & O_ACCMODE != O_RDONLY else {
            throw .unsuitableOutput
        }
        self.descriptor = descriptor
        identity = status.identity
        start = position
        flushed = position
        buffer.reserveCapacity(Self.bufferSize)
    }

    /// The position of the next byte.
    var position: Int { flushed + buffer.count }

    mutating func append(_ bytes: [UInt8]) throws(Errno) {
        let goesAlone = bytes.count >= Self.bufferSize / 2
        if goesAlone || buffer.count + bytes.count > Self.bufferSize { try flush() }
        if goesAlone {
            try write(bytes, at: flushed)
            flushed += bytes.count
        } else {
            buffer.append(contentsOf: bytes)
        }
    }

    mutating func flush() throws(Errno) {
        if buffer.isEmpty { return }
        try write(buffer, at: flushed)
        flushed += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }

    /// Overwrites bytes that were appended earlier.
    mutating func replace(at position: Int, with bytes: [UInt8]) throws(Errno) {
        if position >= flushed {
            buffer.replaceSubrange((position - flushed)..<(position - flushed + bytes.count), with: bytes)
        } else {
            try write(bytes, at: position)
        }
    }

    /// Truncates the file to a position.
    mutating func rewind(to position: Int) throws(Errno) {
        try flush()
        try descriptor.truncate(to: position)
        flushed = position
    }

    /// Truncates the file to its length before the archive.
    mutating func discard() {
        buffer.removeAll()
        flushed = start
        try? descriptor.truncate(to: start)
    }

    private func write(_ bytes: [UInt8], at position: Int) throws(Errno) {
        var failure: Errno?
        bytes.withUnsafeBytes { raw in
            do throws(Errno) { try descriptor.writeAll(raw, at: position) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}

import LinuxSystem

/// A probe that determines from a few samples whether compressing a large file would be useless, as it is for photos
/// and films. A compressor takes longest for data that it cannot make smaller.
///
/// A file counts as incompressible only if compression does not reduce the total size of samples from the whole file.
/// Parts between the samples might be compressible, which is accepted.
struct Compressibility: ~Copyable {
    /// The minimum size of a probed file in bytes. Smaller files are always compressed.
    static let leastSize = 256 << 10
    private static let samples = 16
    private static let sampleSize = 8 << 10

    private let deflater: Deflater
    private let sample: UnsafeMutableRawBufferPointer
    private let output: UnsafeMutableRawBufferPointer

    /// Creates a probe with its buffers.
    ///
    /// - Throws: `ENOMEM`.
    init() throws(Errno) {
        // The level makes no difference for data without repetitions.
        guard let deflater = Deflater(level: 1) else { throw .outOfMemory }
        self.deflater = deflater
        sample = .allocate(byteCount: Self.sampleSize, alignment: 64)
        output = .allocate(byteCount: Deflater.bound(Self.sampleSize), alignment: 64)
    }

    deinit {
        sample.deallocate()
        output.deallocate()
    }

    /// Whether compression would make the given bytes smaller.
    func isCompressible(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= Self.leastSize else { return true }
        var deflated = 0
        for offset in Self.offsets(bytes.count) {
            let sample = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Self.sampleSize])
            deflated += deflater.deflate(sample, into: output) ?? Self.sampleSize
        }
        return deflated < Self.samples * Self.sampleSize
    }

    /// Whether compression would make a file smaller. Returns `true` for a file that cannot be read, so that the error
    /// is reported when the file is compressed.
    func isCompressible(_ file: FileDescriptor, size: Int) -> Bool {
        guard size >= Self.leastSize else { return true }
        var deflated = 0
        for offset in Self.offsets(size) {
            guard let count = try? file.read(into: sample, at: offset), count > 0 else { return true }
            let read = UnsafeRawBufferPointer(rebasing: sample[..<count])
            deflated += (deflater.deflate(read, into: output) ?? count) + Self.sampleSize - count
        }
        return deflated < Self.samples * Self.sampleSize
    }

    /// Returns the positions of the samples: the first at the start, the last at the end, the others evenly between.
    private static func offsets(_ size: Int) -> some Sequence<Int> {
        (0..<samples).lazy.map { (size - sampleSize) / (samples - 1) * $0 }
    }
}

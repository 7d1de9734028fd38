import FileProviderWire
import ItemStore
import LinuxSystem

/// A partially materialized file. All of its local parts are of one version. It is as long as the complete file, with
/// holes for the missing ranges.
///
/// Any thread may read from it. Only the engine's thread records new local ranges.
final class PartialFile: Sendable {
    let number: ItemNumber
    /// The provider's version of the file to which the parts belong.
    let version: [UInt8]
    /// The size that the provider reports for the complete file, in bytes.
    let size: Int64
    /// The descriptor to which parts are written.
    let writing: FileDescriptor
    /// A read-only descriptor of the same file, for readers.
    let reading: FileDescriptor

    private struct State {
        var ranges: ByteRanges
        var isOver = false
    }

    // Leaf lock.
    private let state: Lock<State>

    init(_ number: ItemNumber, version: [UInt8], size: Int64, _ file: FileDescriptor, _ ranges: ByteRanges)
        throws(Errno)
    {
        self.number = number
        self.version = version
        self.size = size
        writing = file
        reading = try file.reopen(.readOnly)
        state = Lock(State(ranges: ranges))
    }

    /// Returns the portion of the given range that lies within the file.
    func clipped(_ range: Range<Int64>) -> Range<Int64> { range.clamped(to: 0..<size) }

    /// Whether all bytes of the given range, up to the end of the file, can be read from the local parts.
    func contains(_ range: Range<Int64>) -> Bool {
        let wanted = clipped(range)
        return state.withLock { !$0.isOver && $0.ranges.contains(wanted) }
    }

    /// The byte ranges that are local.
    var ranges: ByteRanges { state.withLock { $0.ranges } }

    var isComplete: Bool { state.withLock { $0.ranges.count == size } }

    /// Returns the portions of the given range that are not local.
    func gaps(in range: Range<Int64>) -> [Range<Int64>] { state.withLock { $0.ranges.gaps(in: range) } }

    /// Records that a range is local. Called after its bytes were written.
    ///
    /// - Returns: The number of bytes in the range that were not local before.
    func insert(_ range: Range<Int64>) -> Int64 {
        state.withLock { state in
            let before = state.ranges.count
            state.ranges.insert(range)
            return state.ranges.count - before
        }
    }

    /// Makes ``contains(_:)`` return `false` from now on, because another file replaces this one.
    func end() { state.withLock { $0.isOver = true } }

    /// Copies a part into this file, inside the kernel if the file systems permit that. Blocks.
    ///
    /// - Parameters:
    ///   - range: The range to copy. Only its missing portions are copied.
    ///   - source: A file that has the bytes at the same offsets.
    func take(_ range: Range<Int64>, from source: FileDescriptor, isCancelled: () -> Bool) throws(ProviderError) {
        for gap in gaps(in: clipped(range)) {
            do throws(CopyError) {
                try FileCopier.copyRange(
                    Int(gap.lowerBound)..<Int(gap.upperBound), of: source, to: writing, named: "a part",
                    isCancelled: isCancelled)
            } catch {
                throw ProviderError(error)
            }
        }
    }
}

/// The local file that serves a read.
enum PartSource: Sendable {
    /// A complete file.
    case whole(FileDescriptor)
    case part(PartialFile)
}

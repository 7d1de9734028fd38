import FileProvider
import LinuxSystem

/// A file of which some parts are here, all of one version. It is as long as the whole, with holes where nothing has come yet.
///
/// Any thread reads from it; the engine's thread says what is here.
final class PartFile: Sendable {
    let number: ItemNumber
    /// The provider's, of the contents.
    let version: [UInt8]
    /// Bytes of the whole, as the provider says.
    let size: Int64
    /// Where parts are written to.
    let writing: FileDescriptor
    /// The same file for those who read.
    let reading: FileDescriptor

    private struct State {
        var ranges: ByteRanges
        var isOver = false
    }

    // Innermost.
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

    /// What of a read lies within the file.
    func clipped(_ range: Range<Int64>) -> Range<Int64> { range.clamped(to: 0..<size) }

    /// Whether a read can be answered from here.
    func contains(_ range: Range<Int64>) -> Bool {
        let wanted = clipped(range)
        return state.withLock { !$0.isOver && $0.ranges.contains(wanted) }
    }

    /// What is here.
    var ranges: ByteRanges { state.withLock { $0.ranges } }

    var isComplete: Bool { state.withLock { $0.ranges.count == size } }

    /// What of a range is not here.
    func gaps(in range: Range<Int64>) -> [Range<Int64>] { state.withLock { $0.ranges.gaps(in: range) } }

    /// A part is here.
    ///
    /// - Returns: how many bytes are new.
    func insert(_ range: Range<Int64>) -> Int64 {
        state.withLock { state in
            let before = state.ranges.count
            state.ranges.insert(range)
            return state.ranges.count - before
        }
    }

    /// Nobody reads from here any more: there is another file of the item.
    func end() { state.withLock { $0.isOver = true } }

    /// Writes a part to its place, past this process's memory where the file systems can. Blocks.
    ///
    /// - Parameters:
    ///   - source: a file with the bytes at their places.
    ///   - range: within the file.
    func take(_ range: Range<Int64>, from source: FileDescriptor, isCancelled: () -> Bool) throws(ProviderFailure) {
        for gap in gaps(in: clipped(range)) {
            do throws(CopyError) {
                try FileCopier.copyRange(
                    Int(gap.lowerBound)..<Int(gap.upperBound), of: source, to: writing, named: "a part",
                    isCancelled: isCancelled)
            } catch {
                throw ProviderFailure(error)
            }
        }
    }
}

/// Where the bytes are that somebody waits for.
enum PartSource: Sendable {
    /// All of them are here.
    case whole(FileDescriptor)
    case part(PartFile)
}

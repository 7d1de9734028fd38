/// The chunks of an upload that the server does not have yet.
///
/// The number of a chunk determines its offset: chunk 1 begins at the start of the file, and chunk 3 two units
/// (``ChunkSizes/unit``) later, regardless of the sizes of the chunks before it. Several chunks can therefore be sent
/// at the same time. After an interruption, all chunks that have arrived are used, even if chunks between them are
/// missing.
struct ChunkPlan {
    /// A chunk to send.
    struct Chunk: Sendable, Hashable {
        let number: Int
        let range: Range<Int>
    }

    private let unit: Int
    /// The missing ranges, in order.
    private var gaps: [Range<Int>]
    /// The number of bytes that the server had when the plan was created.
    let present: Int

    /// Creates the plan for the ranges that the server does not have.
    ///
    /// - Parameters:
    ///   - chunks: the sizes in bytes of the chunks that the server has, by chunk number.
    ///   - misfits: receives the numbers of chunks that cannot be used, such as a chunk that overlaps the next one. The
    ///     caller must remove them from the server.
    init(fileSize size: Int, chunks: [Int: Int], misfits: inout [Int]) {
        unit = ChunkSizes.unit(ofFileSize: size)
        var position = 0
        gaps = []
        for (number, length) in chunks.sorted(by: { $0.key < $1.key }) {
            // The server may report any numbers.
            let (begin, hasNoBegin) = (number - 1).multipliedReportingOverflow(by: unit)
            let (end, hasNoEnd) = begin.addingReportingOverflow(length)
            guard !hasNoBegin, !hasNoEnd, begin >= position, length > 0,
                end == size || (end < size && length % unit == 0)
            else {
                misfits.append(number)
                continue
            }
            if begin > position { gaps.append(position..<begin) }
            position = end
        }
        if position < size { gaps.append(position..<size) }
        present = size - gaps.reduce(0) { $0 + $1.count }
    }

    /// Removes and returns the next chunk to send; `nil` if none is left.
    mutating func next(_ sizes: ChunkSizes) -> Chunk? {
        guard let gap = gaps.first else { return nil }
        let end = gap.lowerBound + sizes.size(in: gap.count)
        if end < gap.upperBound { gaps[0] = end..<gap.upperBound } else { gaps.removeFirst() }
        return Chunk(number: gap.lowerBound / unit + 1, range: gap.lowerBound..<end)
    }

    /// Records that a chunk could not be sent, so that its bytes are missing again.
    mutating func putBack(_ chunk: Chunk) {
        let index = gaps.firstIndex { $0.lowerBound >= chunk.range.upperBound } ?? gaps.endIndex
        gaps.insert(chunk.range, at: index)
    }
}

import LinuxSystem

/// The bytes between a transfer and the reader of its stream.
///
/// The transfer is paused while the buffer is full, so a slow reader costs no memory.
final class StreamBuffer: Sendable {
    private struct State {
        var pieces: [[UInt8]] = []
        var count = 0
        /// Whether the transfer waits for space.
        var isPaused = false
        /// The result of the transfer, which the reader receives after all pieces.
        var end: Result<Void, HTTPError>?
        var readers: [Reader] = []
    }

    typealias Piece = Result<[UInt8]?, HTTPError>
    private typealias Reader = CheckedContinuation<Piece, Never>

    /// The number of buffered bytes at which the transfer is paused, and the number at which it continues.
    private static let (full, low) = (1 << 20, 256 << 10)

    // Leaf lock: readers are resumed after it is released.
    private let state = Lock(State())

    /// Adds bytes. Returns `false` if the buffer is full. In this case the caller pauses the transfer, and offers the
    /// same bytes again later.
    func offer(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let (isTaken, reader) = state.withLock { state -> (Bool, Reader?) in
            if !state.readers.isEmpty { return (true, state.readers.removeFirst()) }
            guard state.count < Self.full else {
                state.isPaused = true
                return (false, nil)
            }
            state.pieces.append(Array(bytes))
            state.count += bytes.count
            return (true, nil)
        }
        reader?.resume(returning: .success(Array(bytes)))
        return isTaken
    }

    /// Ends the stream. Only the first call has an effect.
    func finish(_ end: Result<Void, HTTPError>) {
        let readers = state.withLock { state -> [Reader] in
            if state.end == nil { state.end = end }
            defer { state.readers = [] }
            return state.readers
        }
        for reader in readers { reader.resume(returning: end.map { nil }) }
    }

    /// Waits for the next bytes. The result is `nil` at the end of the stream.
    ///
    /// - Parameter goOn: A function that continues the paused transfer.
    func next(_ goOn: @Sendable () -> Void) async -> Piece {
        await withCheckedContinuation { continuation in
            let (result, isResumed) = state.withLock { state -> (Piece?, Bool) in
                guard !state.pieces.isEmpty else {
                    if let end = state.end { return (end.map { nil }, false) }
                    state.readers.append(continuation)
                    return (nil, false)
                }
                let piece = state.pieces.removeFirst()
                state.count -= piece.count
                let isResumed = state.isPaused && state.count <= Self.low
                if isResumed { state.isPaused = false }
                return (.success(piece), isResumed)
            }
            if isResumed { goOn() }
            if let result { continuation.resume(returning: result) }
        }
    }
}

import Glibc
import LinuxSystem

/// Threads that make pieces in any order. The requester takes the pieces in the order of requests.
///
/// Threads start on demand, up to the limit, and end with ``stop()``.
final class PieceWorkers: Sendable {
    private struct State: Sendable {
        /// Requests that no thread has begun, oldest first, and the number of the first one.
        var waiting: [PieceRequest] = []
        var firstWaiting = 0
        var done: [Int: Result<Piece, PieceError>] = [:]
        /// The number of the piece that the requester waits for.
        var awaited: Int?
        var isStopped = false
        var threads: [pthread_t] = []
    }

    private static let work = 0
    private static let result = 1

    private let monitor = Monitor(State(), conditions: 2)
    private let level: Int
    private let limit: Int

    init(level: Int, limit: Int) {
        self.level = level
        self.limit = max(1, limit)
    }

    /// Requests a piece.
    ///
    /// - Returns: its number, counted from 0.
    func ask(_ request: PieceRequest) -> Int {
        let (number, needsThread) = monitor.withLock { state in
            state.waiting.append(request)
            let number = state.firstWaiting + state.waiting.count - 1
            return (number, state.threads.count < min(limit, number + 1))
        }
        if needsThread { startThread() }
        monitor.signal(Self.work)
        return number
    }

    /// Waits for the piece with the given number, and returns it. May be called once for each piece.
    func take(_ number: Int) throws(PieceError) -> Piece {
        let hasThreads = monitor.withLock { !$0.threads.isEmpty }
        // If no thread could be created, the calling thread does the work.
        if !hasThreads { run(waits: false) }
        let result = monitor.wait(for: Self.result) { state in
            let result = state.done.removeValue(forKey: number)
            state.awaited = result == nil ? number : nil
            return result
        }
        return try result.get()
    }

    /// Drops the requests that no thread has begun. Waits until the threads have finished their current pieces and
    /// ended. May be called more than once.
    func stop() {
        let threads = monitor.withLock { state in
            state.isStopped = true
            state.waiting.removeAll()
            state.done.removeAll()
            // A thread may be joined only once. After that, its ID may belong to another thread.
            defer { state.threads = [] }
            return state.threads
        }
        monitor.broadcast(Self.work)
        for thread in threads { pthread_join(thread, nil) }
    }

    private func startThread() {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self).toOpaque()
        let failure = pthread_create(&thread, nil, pieceWorkerMain, context)
        if failure == 0 {
            monitor.withLock { $0.threads.append(thread) }
        } else {
            Unmanaged<PieceWorkers>.fromOpaque(context).release()
        }
    }

    /// Makes pieces for requests until ``stop()`` is called.
    ///
    /// - Parameter waits: whether to wait for further requests, as on a worker thread. Otherwise returns as soon as no
    ///   request waits.
    fileprivate func run(waits: Bool) {
        var maker: PieceMaker
        do throws(Errno) {
            maker = try PieceMaker(level: level)
        } catch {
            while let (number, _) = next(waits: waits) { finish(number, .failure(.system(error))) }
            return
        }
        while let (number, request) = next(waits: waits) {
            do throws(PieceError) {
                finish(number, .success(try maker.make(request)))
            } catch {
                finish(number, .failure(error))
            }
        }
    }

    /// Returns the oldest request and its number. If there is none, waits for one, or returns `nil` if `waits` is
    /// false. Returns `nil` after ``stop()``.
    private func next(waits: Bool) -> (Int, PieceRequest)? {
        let begun: (Int, PieceRequest)?? = monitor.wait(for: Self.work) { state in
            if state.isStopped { return .some(nil) }
            if state.waiting.isEmpty {
                if !waits { return .some(nil) }
                return nil
            }
            state.firstWaiting += 1
            return (state.firstWaiting - 1, state.waiting.removeFirst())
        }
        return begun ?? nil
    }

    private func finish(_ number: Int, _ result: Result<Piece, PieceError>) {
        let isAwaited = monitor.withLock { state in
            guard !state.isStopped else { return false }
            state.done[number] = result
            return state.awaited == number
        }
        if isAwaited { monitor.signal(Self.result) }
    }
}

/// The entry point of a worker thread, in the form that pthread_create(3) takes.
private func pieceWorkerMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<PieceWorkers>.fromOpaque(context).takeRetainedValue().run(waits: true)
    return nil
}

import FileProvider
import FileProviderEngine
import FileProviderWire
import LinuxSystem
import ProviderTesting

/// A random number generator that returns the same numbers for the same seed.
struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678_9ABC_DEF1 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

/// One life of an engine's process, from its start to its death. After death its requests to the provider have no
/// effect.
final class SimulatedLife: Sendable {
    struct State {
        var generator: SeededGenerator
        /// The number of requests until it dies; `nil` for never.
        var requestsLeft: Int?
        /// The number of moments between two writes until the process dies; `nil` for never.
        var momentsLeft: Int?
        var isDead = false
        /// The percentage of requests that fail.
        var failures: Int
        /// The percentage of requests and replies that are delayed.
        var delays: Int
        /// The percentage of changes that the provider signals before it replies.
        var tellings: Int
        /// The percentage of commits that fail because the disk is full.
        var fullness = 0
    }

    private struct Traffic {
        var requests = 0
        var underWay = 0
    }

    // Leaf lock.
    private let state: Lock<State>
    /// A latch that opens when the files that this life left are copied.
    let isBuried = Latch()
    /// A closure that is called once, when the process dies.
    private let onDeath: Lock<(@Sendable (_ isOnThread: Bool) -> Void)?> = Lock(nil)

    private let clock: SimulatedClock
    private let story: Story
    private let traffic = Lock(Traffic())
    private let signal = Receiver<Void>()

    init(_ state: State, _ clock: SimulatedClock, _ story: Story) {
        self.state = Lock(state)
        self.clock = clock
        self.story = story
    }

    /// The number of requests so far.
    var requestCount: Int { traffic.withLock { $0.requests } }

    /// The number of requests that will get their reply before the clock advances.
    var underWayCount: Int { traffic.withLock { $0.underWay } }

    /// Sets the function to call when the provider signals a change.
    func whenSignalled(_ body: @escaping @Sendable () -> Void) { signal.function = { _ in body() } }

    func begin(_ words: String) -> Int {
        let number = traffic.withLock { traffic in
            traffic.requests += 1
            traffic.underWay += 1
            return traffic.requests
        }
        story.tell("    \(number) \(words)?")
        return number
    }

    /// Records that the provider performed a request, and may signal the change.
    func done(_ number: Int) {
        story.tell("    \(number) is done")
        let tells = state.withLock { state in Int.random(in: 0..<100, using: &state.generator) < state.tellings }
        if tells { signal.tell(()) }
    }

    func end(_ number: Int, _ failure: ProviderError?) {
        story.tell("    \(number) " + (failure.map { "failed: \($0.kind)" } ?? "answered"))
        traffic.withLock { $0.underWay -= 1 }
    }

    var isDead: Bool { state.withLock { $0.isDead } }

    /// Sets the function to call at death, and calls it at once if the process died while its engine started.
    func whenDead(_ body: @escaping @Sendable (_ isOnThread: Bool) -> Void) {
        onDeath.withLock { $0 = body }
        if isDead { takeDeath()?(false) }
    }

    private func takeDeath() -> (@Sendable (Bool) -> Void)? {
        onDeath.withLock { body in
            defer { body = nil }
            return body
        }
    }

    func bury() {
        signal.function = nil
        state.withLock { $0.isDead = true }
        onDeath.withLock { $0 = nil }
    }

    func calmDown() {
        state.withLock { state in
            state.failures = 0
            state.delays = 0
            state.fullness = 0
        }
    }

    /// Prevents the process from dying.
    func spare() {
        state.withLock { state in
            state.requestsLeft = nil
            state.momentsLeft = nil
        }
    }

    func die(isOnThread: Bool) {
        let isFirst = state.withLock { state in
            defer { state.isDead = true }
            return !state.isDead
        }
        if isFirst { takeDeath()?(isOnThread) }
    }

    /// Marks a moment between the write of the journal and that of the index, at which the process may die.
    func moment() {
        let dies = state.withLock { state in
            guard let left = state.momentsLeft else { return false }
            state.momentsLeft = left - 1
            return left == 0
        }
        if dies { die(isOnThread: true) }
    }

    /// - Parameter fullness: The percentage of commits that find the disk full.
    func fillDisk(_ fullness: Int) { state.withLock { $0.fullness = fullness } }

    /// Whether the disk has room for a commit.
    func hasRoom() -> Bool {
        let hasRoom = state.withLock { state in
            state.fullness == 0 || Int.random(in: 0..<100, using: &state.generator) >= state.fullness
        }
        if !hasRoom { story.tell("      (full)") }
        return hasRoom
    }

    private func wait(_ seconds: Double) async {
        traffic.withLock { $0.underWay -= 1 }
        await clock.wait(seconds)
        traffic.withLock { $0.underWay += 1 }
    }

    /// Passes a request or a reply on, after a random delay, failure or death of the process.
    func pass() async throws(ProviderError) {
        let (dies, fails, pauses, delay) = state.withLock { state in
            let fails = Int.random(in: 0..<100, using: &state.generator) < state.failures
            let pauses = Int.random(in: 0..<12, using: &state.generator)
            let isDelayed = Int.random(in: 0..<100, using: &state.generator) < state.delays
            let delay = Double.random(in: 0.1...5, using: &state.generator)
            if let left = state.requestsLeft { state.requestsLeft = left - 1 }
            return (state.requestsLeft == 0, fails, pauses, isDelayed ? delay : nil)
        }
        for _ in 0..<pauses { await Task.yield() }
        if let delay, !isDead { await wait(delay) }
        if dies { die(isOnThread: false) }
        if isDead { throw ProviderError(.processEnded, message: "dead") }
        if fails {
            let kind = state.withLock { state in
                [.transient, .serverUnreachable, .processEnded, .notAuthenticated, .transient]
                    .randomElement(using: &state.generator) ?? ProviderError.Kind.transient
            }
            throw ProviderError(kind, message: "by the simulation")
        }
    }
}

import FileProvider
import FileProviderEngine
import FileTesting
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import Testing

/// A random course of events: local edits, changes by other clients, and failures and deaths of the engine's process
/// at any moment. Each file holds a unique word, which shows the outcome of every single edit.
final class Simulation {
    private let seed: UInt64
    var generator: SeededGenerator
    let provider = MemoryProvider()
    let arrivals: Arrivals
    let folder: TestFolder
    let disk = SimulatedDisk()
    private(set) var lives = 0
    private(set) var life: SimulatedLife
    private(set) var engine: DomainEngine
    private(set) var clock: SimulatedClock
    private var words = 0
    /// The words whose write succeeded locally, with the items that held them last.
    var promised: [String: ItemNumber] = [:]
    /// The words of files whose replacement was refused because the disk was full. If the engine cannot undo the
    /// replacement, the end of the process may leave it half done.
    var refused: Set<String> = []
    /// The contents of files that another client renamed.
    var renamed: Set<String> = []
    /// All words that a file of this number ever held.
    var held: [ItemNumber: Set<String>] = [:]
    /// The engine's pending work if the engine did not become idle; `nil` otherwise.
    private(set) var stuck: [String]?
    let removals: Removals
    let story = Story()

    /// The names from which new names of items are chosen.
    let names: [String]
    /// The names of the directories that other clients make in the root.
    let folderNames: [String]
    private let losesPower: Bool
    private let fillsDisk: Bool

    /// - Parameters:
    ///   - losesPower: Whether some deaths are power failures.
    ///   - fillsDisk: Whether the disk is full at times.
    ///   - identifiersArePaths: Whether the provider gives an item a new identifier when it is moved.
    ///   - mixesForms: Whether some names differ only in their Unicode normal form.
    init(
        seed: UInt64, losesPower: Bool, fillsDisk: Bool = false, identifiersArePaths: Bool = false,
        mixesForms: Bool = false
    ) throws {
        self.seed = seed
        names = mixesForms ? ["\u{E9}", "e\u{301}", "c", "d"] : ["a", "b.txt", "c", "d"]
        folderNames = mixesForms ? ["\u{F6}", "o\u{308}", "h"] : ["f", "g", "h"]
        provider.behave { $0.identifiersArePaths = identifiersArePaths }
        arrivals = Arrivals(provider)
        self.losesPower = losesPower
        self.fillsDisk = fillsDisk
        generator = SeededGenerator(seed: seed)
        folder = try TestFolder(in: (try? FileStatus.of("/dev/shm"))?.kind == .directory ? "/dev/shm" : "/var/tmp")
        // In some courses no reply is ever lost.
        let isSmooth = Int.random(in: 0..<4, using: &generator) == 0
        var state = Self.lot(&generator, mayDie: !isSmooth)
        if isSmooth { state.failures = 0 }
        removals = Removals(arrivals, arePlacesKept: !identifiersArePaths)
        (engine, life, clock) = try Self.start(
            in: folder.path + "/life-0", provider, arrivals, state, story, now: 1_700_000_000)
        for name in ["a", "b.txt", "c"] { addFile(name, in: ProviderItem.rootIdentifier) }
        for name in folderNames.prefix(2) {
            let identifier = provider.addFolder(name)
            addFile("a", in: identifier)
        }
    }

    deinit {
        engine.abandon()
        leave()
    }

    /// Ends a life: resumes everything that waits for its clock, and drops the references to its engine.
    private func leave() {
        life.bury()
        clock.advance(by: 1e7)
        // The observer of the index retains the engine. The death of a process would release it.
        engine.index.onChange = nil
    }

    private static func start(
        in folder: String, _ provider: MemoryProvider, _ arrivals: Arrivals, _ state: SimulatedLife.State,
        _ story: Story, now: Double
    ) throws -> (DomainEngine, SimulatedLife, SimulatedClock) {
        let clock = SimulatedClock(now: now)
        let life = SimulatedLife(state, clock, story)
        var configuration = DomainConfiguration(
            identifier: "simulation", displayName: "Simulation", dataFolder: folder + "/data",
            cacheFolder: folder + "/cache")
        configuration.refreshAge = 1
        let engine = try DomainEngine(
            configuration: configuration, provider: SimulatedProvider(base: provider, life: life, arrivals: arrivals),
            clock: clock
        )
        return (engine, life, clock)
    }

    // MARK: Course

    func run() async throws {
        let steps = Int.random(in: 15...40, using: &generator)
        try await prepareLife()
        for _ in 0..<steps {
            try await step()
            if life.isDead { try await beBornAgain() }
        }
        try await comeToRest()
    }

    private func prepareLife() async throws {
        let path = folder.path
        let number = lives
        let life = life
        let engine = engine
        // The files of a dead process stay as they were at its death: the next life begins with a copy of them.
        life.whenDead { isOnThread in
            let copy: @Sendable () -> Void = {
                // Copying fails while a program writes or a copy for an upload is made, and is repeated.
                for attempt in 1...1000 {
                    do {
                        return try Self.copy("\(path)/life-\(number)", to: path, "life-\(number + 1)")
                    } catch {
                        if attempt == 1000 { Issue.record(error) }
                    }
                }
            }
            if isOnThread {
                copy()
                life.isBuried.open()
                engine.abandon()
            } else {
                engine.perform { engine in
                    copy()
                    life.isBuried.open()
                    engine.abandon()
                }
            }
        }
        let disk = disk
        life.whenSignalled { [weak engine] in engine?.signal(container: nil) }
        let (removals, story) = (removals, story)
        engine.onEvent { [weak engine] event in
            guard case .index(let changes) = event, let engine, !life.isDead else { return }
            for change in changes {
                story.tell("      \(change)")
                if let complaint = removals.see(change, in: engine.index) { story.tell("!!! \(complaint)") }
            }
        }
        engine.durable.observe { if !life.isDead { disk.note("\(path)/life-\(number)/data") } }
        if fillsDisk { life.fillDisk(Int.random(in: 0...60, using: &generator)) }
        try await engine.doing { engine in
            engine.observeEdits { life.moment() }
            engine.limitRoom { life.hasRoom() }
        }
    }

    private static func copy(_ folder: String, to target: String, _ name: String) throws {
        let source = try FileDescriptor.open(folder, [.readOnly, .directory])
        try TreeCopier.copy(source, into: try .open(target, [.readOnly, .directory]), named: name)
    }

    /// Returns random values for the end of a life and for its failures.
    private static func lot(_ generator: inout SeededGenerator, mayDie: Bool) -> SimulatedLife.State {
        let dies = Int.random(in: 0..<3, using: &generator) > 0 && mayDie
        let isBetween = Bool.random(using: &generator)
        return SimulatedLife.State(
            generator: SeededGenerator(seed: generator.next()),
            requestsLeft: dies && !isBetween ? Int.random(in: 1...60, using: &generator) : nil,
            momentsLeft: dies && isBetween ? Int.random(in: 0...30, using: &generator) : nil,
            failures: Int.random(in: 0...10, using: &generator),
            delays: Bool.random(using: &generator) ? Int.random(in: 0...20, using: &generator) : 0,
            tellings: Bool.random(using: &generator) ? Int.random(in: 0...100, using: &generator) : 0)
    }

    private func beBornAgain() async throws {
        life.isBuried.wait()
        leave()
        lives += 1
        story.tell("-- life \(lives)")
        for word in refused { promised[word] = nil }
        refused = []
        let state = Self.lot(&generator, mayDie: lives < 4)
        let data = "\(folder.path)/life-\(lives)/data"
        if Int.random(in: 0..<4, using: &generator) == 0, losesPower {
            let loss = SimulatedDisk.Loss.allCases.randomElement(using: &generator) ?? .ofBoth
            if let words = try disk.losePower(loss, in: data) {
                story.tell("power lost, and what came later \(loss)")
                removals.forget()
                if loss != .ofIndex { promised = promised.filter { words.contains($0.key) } }
                if loss != .ofJournal {
                    forgetNumbers()
                    // The engine may not know all items of a directory any more, and what it removes may reappear.
                    for path in provider.exactTree.keys.map(\.string) {
                        provider.identifier(at: path).flatMap { provider.item(of: $0) }.map {
                            arrivals.noteUse($0.parent)
                        }
                    }
                }
            }
        }
        // Stands for a damaged index, which has to be rebuilt.
        if Int.random(in: 0..<8, using: &generator) == 0 {
            story.tell("index lost")
            try Index.delete(path: data + "/index.db")
            disk.forgetIndex()
            forgetNumbers()
        }
        (engine, life, clock) = try Self.start(
            in: "\(folder.path)/life-\(lives)", provider, arrivals, state, story, now: clock.now)
        try await prepareLife()
    }

    /// Forgets item numbers. Items of the provider may get new numbers; those known only to the journal keep theirs.
    private func forgetNumbers() {
        held = [:]
        let texts = Set(provider.exactTree.values)
        for word in promised.keys where texts.contains(word) { promised[word] = ItemNumber(rawValue: 0) }
    }

    /// Waits until the engine is idle. Ends the wait after a number of requests, or of rounds in which the engine is
    /// idle or busy, so that the machine's speed does not matter.
    private func comeToRest() async throws {
        var (requests, quietRounds, busyRounds) = (0, 0, 0)
        while requests < 20_000, quietRounds < 100, busyRounds < 30_000 {
            if life.isDead { try await beBornAgain() }
            life.calmDown()
            let before = life.requestCount
            // Parked edits wait for `retry`; others are retried when the clock advances.
            try await engine.doing { $0.retry() }
            engine.signal(container: nil)
            // Some failures are accepted only after several attempts.
            for _ in 0..<6 {
                let before = life.requestCount
                clock.advance(by: 20)
                await calm()
                if before == life.requestCount { break }
            }
            if !life.isDead, try await isAtRest() { return life.spare() }
            let made = life.requestCount - before
            requests += made
            if made >= 10 { continue }
            if await engine.isBusy {
                // On a busy machine the work in progress may need more time.
                busyRounds += 1
                try await Task.sleep(for: .milliseconds(2))
            } else {
                quietRounds += 1
            }
        }
        stuck = try await engine.doing { try $0.work() } + ["after \(requests) requests"]
        life.spare()
    }

    private func isAtRest() async throws -> Bool {
        guard try await engine.doing({ try $0.editStatus().items.isEmpty }) else { return false }
        guard let here = try? await tree() else { return false }
        return here == provider.exactTree
    }

    /// Waits until the engine has finished the work that does not wait for its clock.
    func calm() async {
        var quiet = 0
        for look in 1...20_000 where quiet < 3 {
            let before = life.requestCount
            let isBusy = await engine.isBusy
            if look > 2 { try? await Task.sleep(for: .microseconds(50)) } else { await Task.yield() }
            let isQuiet = life.underWayCount == 0 && life.requestCount == before
            // A busy engine without requests copies a file, flushes to disk, or waits for its clock.
            quiet = isQuiet && (!isBusy || look > 20) ? quiet + 1 : 0
        }
    }

    private func step() async throws {
        if Int.random(in: 0..<4, using: &generator) == 0 {
            otherClient()
            if Bool.random(using: &generator) { engine.signal(container: nil) }
        }
        do {
            try await edit()
        } catch {
            story.tell("  failed: \(error)")
        }
        let pauses: [Double] = [0, 0.1, 1, 5]
        let seconds = pauses.randomElement(using: &generator) ?? 0
        await tick(seconds)
    }

    private func tick(_ seconds: Double) async {
        clock.advance(by: seconds)
        if Bool.random(using: &generator) { return await calm() }
        for _ in 0..<Int.random(in: 0..<20, using: &generator) { await Task.yield() }
    }

    func word() -> String {
        words += 1
        return "word \(seed) \(words)"
    }

    @discardableResult
    func addFile(_ name: String, in parent: String) -> String {
        provider.addFile(name, word(), in: parent)
    }
}

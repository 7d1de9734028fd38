import FileProvider
import FileProviderEngine
import FileTesting
import LinuxSystem
import ProviderTesting
import Testing

/// A random course of things: edits here, changes by others, failures and deaths of the engine's process at any moment. What each
/// file holds is a word of its own, so that it can be told afterwards what became of every single edit.
final class Simulation {
    private let seed: UInt64
    private var generator: SeededGenerator
    private let provider = MemoryProvider()
    private let arrivals = Arrivals()
    private let folder: TestFolder
    private var lives = 0
    private var life: SimulatedLife
    private var engine: DomainEngine
    private var clock: SimulatedClock
    private var words = 0
    /// What was written here and answered, and in which item it was last.
    private var promised: [String: ItemNumber] = [:]
    /// Whether no answer is ever lost. Where one is, an item may come to be at the provider twice, which can be told only as long as it
    /// is still where it was sent, and as it was sent.
    private var isSmooth: Bool
    /// What is in files that others renamed.
    private var renamed: Set<String> = []
    /// What the story is, for whoever looks into a failure.
    private(set) var story: [String] = []

    init(seed: UInt64) throws {
        self.seed = seed
        generator = SeededGenerator(seed: seed)
        folder = try TestFolder(in: (try? FileStatus.of("/dev/shm"))?.kind == .directory ? "/dev/shm" : "/var/tmp")
        isSmooth = Int.random(in: 0..<4, using: &generator) == 0
        var state = Self.lot(&generator, mayDie: !isSmooth)
        if isSmooth { state.failures = 0 }
        (engine, life, clock) = try Self.start(
            in: folder.path + "/life-0", provider, arrivals, state, now: 1_700_000_000)
        for name in ["a", "b.txt", "c"] { addFile(name, in: ProviderItem.rootIdentifier) }
        for name in ["f", "g"] {
            let identifier = provider.addFolder(name)
            addFile("a", in: identifier)
        }
    }

    deinit {
        engine.abandon()
        leave()
    }

    /// Lets go of a life: what waits in it for its time waits no more, and what holds on to its engine goes.
    private func leave() {
        life.bury()
        clock.advance(by: 1e7)
    }

    private static func start(
        in folder: String, _ provider: MemoryProvider, _ arrivals: Arrivals, _ state: SimulatedLife.State, now: Double
    ) throws -> (DomainEngine, SimulatedLife, SimulatedClock) {
        let life = SimulatedLife(state)
        let clock = SimulatedClock(now: now)
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
        // A dead one's files stay as they were at its death: the next life begins with a copy of them.
        life.whenDead { isOnThread in
            let copy: @Sendable () -> Void = {
                // A program may be writing, and a copy for an upload be made: then once more.
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
        try await engine.doing { engine in engine.observeEdits { life.moment() } }
    }

    private static func copy(_ folder: String, to target: String, _ name: String) throws {
        let source = try FileDescriptor.open(folder, [.readOnly, .directory])
        try TreeCopier.copy(source, into: try .open(target, [.readOnly, .directory]), named: name)
    }

    /// When a life ends, and how much fails in it.
    private static func lot(_ generator: inout SeededGenerator, mayDie: Bool) -> SimulatedLife.State {
        let dies = Int.random(in: 0..<3, using: &generator) > 0 && mayDie
        let isBetween = Bool.random(using: &generator)
        return SimulatedLife.State(
            generator: SeededGenerator(seed: generator.next()),
            requestsLeft: dies && !isBetween ? Int.random(in: 1...60, using: &generator) : nil,
            momentsLeft: dies && isBetween ? Int.random(in: 0...30, using: &generator) : nil,
            failures: Int.random(in: 0...10, using: &generator))
    }

    private func beBornAgain() async throws {
        life.isBuried.wait()
        leave()
        lives += 1
        story.append("-- life \(lives)")
        let state = Self.lot(&generator, mayDie: lives < 4)
        // A damaged index is one that has to be built anew.
        if Int.random(in: 0..<8, using: &generator) == 0 {
            story.append("index lost")
            try Index.delete(path: "\(folder.path)/life-\(lives)/data/index.db")
            // What the provider has gets new numbers; what only the journal knows keeps its own.
            let texts = Set(provider.tree.values)
            for word in promised.keys where texts.contains(word) { promised[word] = ItemNumber(rawValue: 0) }
        }
        (engine, life, clock) = try Self.start(
            in: "\(folder.path)/life-\(lives)", provider, arrivals, state, now: clock.now)
        try await prepareLife()
    }

    /// Bounded generously: the engine's requests share their threads with all tests of the process, and may wait for a turn.
    private func comeToRest() async throws {
        for round in 0..<60_000 {
            life.calmDown()
            if life.isDead { try await beBornAgain() }
            try await engine.doing { $0.retry() }
            engine.signal(container: nil)
            for _ in 0..<5 {
                clock.advance(by: 20)
                try await Task.sleep(for: .microseconds(round < 1_000 ? 200 : 1_000))
            }
            guard try await engine.doing({ try $0.editStatus().items.isEmpty }), !life.isDead else { continue }
            guard let here = try? await tree(), here == provider.tree else { continue }
            break
        }
        life.spare()
    }

    // MARK: Steps

    private func step() async throws {
        if Int.random(in: 0..<4, using: &generator) == 0 {
            somebodyElse()
            if Bool.random(using: &generator) { engine.signal(container: nil) }
        }
        do {
            try await edit()
        } catch {
            story.append("  failed: \(error)")
        }
        let pauses: [Double] = [0, 0.1, 1, 5]
        let seconds = pauses.randomElement(using: &generator) ?? 0
        await tick(seconds)
    }

    private func tick(_ seconds: Double) async {
        clock.advance(by: seconds)
        for _ in 0..<Int.random(in: 0..<20, using: &generator) { await Task.yield() }
    }

    private static let names = ["a", "b.txt", "c", "d"]

    private func word() -> String {
        words += 1
        return "word \(seed) \(words)"
    }

    @discardableResult
    private func addFile(_ name: String, in parent: String) -> String {
        provider.addFile(name, word(), in: parent)
    }

    /// A change at the provider that does not come from here.
    private func somebodyElse() {
        let tree = provider.tree
        guard let path = tree.keys.sorted().randomElement(using: &generator),
            let identifier = provider.identifier(at: path)
        else { return }
        let isFolder = tree[path] == "/"
        let name = Self.names.randomElement(using: &generator) ?? "a"
        switch Int.random(in: 0..<6, using: &generator) {
        case 0, 1:
            guard !isFolder else { return addNewFile(name, in: identifier) }
            overtake(identifier)
            story.append("they write \(path)")
            provider.write(word(), to: identifier)
        case 2: addNewFile(name, in: ProviderItem.rootIdentifier)
        case 3:
            let parent = path.split(separator: "/").dropLast().joined(separator: "/")
            guard provider.identifier(at: parent.isEmpty ? name : "\(parent)/\(name)") == nil else { return }
            story.append("they rename \(path) to \(name)")
            // An item whose answer was lost is not found again under a name that others gave it, and is made twice.
            if let text = tree[path] { renamed.insert(text) }
            provider.rename(identifier, to: name)
        case 4:
            story.append("they remove \(path)")
            for other in tree.keys where other == path || other.hasPrefix(path + "/") {
                if let identifier = provider.identifier(at: other) { overtake(identifier) }
            }
            provider.remove(identifier)
        default:
            let folders = ["f", "g", "h"]
            let folder = folders.randomElement(using: &generator) ?? "f"
            guard provider.identifier(at: folder) == nil else { return }
            story.append("they make folder \(folder)")
            provider.addFolder(folder)
        }
    }

    private func addNewFile(_ name: String, in folder: String) {
        guard provider.tree.count < 40, let path = path(of: folder), provider.identifier(at: path + name) == nil else {
            return
        }
        story.append("they add \(path)\(name)")
        addFile(name, in: folder)
    }

    private func path(of folder: String) -> String? {
        if folder == ProviderItem.rootIdentifier { return "" }
        return provider.tree.keys.first { provider.identifier(at: $0) == folder }.map { $0 + "/" }
    }

    /// What the provider has in an item is others' from now on: it had arrived.
    private func overtake(_ identifier: String) {
        arrivals.touch(identifier)
        guard let bytes = provider.bytes(of: identifier) else { return }
        promised[String(decoding: bytes, as: UTF8.self)] = nil
    }

    // MARK: Edits here

    private func edit() async throws {
        let here = try items()
        let files = here.filter { $0.row.item.kind == .file }
        let folders =
            here.filter { $0.row.item.kind == .folder }.map { ($0.path, $0.row.number) } + [("", ItemNumber.root)]
        let (folderPath, folder) = folders.randomElement(using: &generator) ?? ("", .root)
        let name = Self.names.randomElement(using: &generator) ?? "a"
        switch Int.random(in: 0..<12, using: &generator) {
        case 0, 1, 2:
            let word = word()
            story.append("make \(folderPath)/\(name): \(word)")
            let number = try await make(name, in: folder, word)
            promise(word, in: number)
        case 3, 4, 5:
            guard let file = files.randomElement(using: &generator) else { return }
            let word = word()
            story.append("write \(file.path) (\(file.row.number.rawValue)): \(word)")
            forgetPromises(of: file.row)
            try await write(file.row.number, word)
            promise(word, in: file.row.number)
        case 6:
            guard let file = files.randomElement(using: &generator) else { return }
            story.append("remove \(file.path)")
            forgetPromises(of: file.row)
            let (parent, name, number) = (file.row.parent, file.row.name, file.row.number)
            try await engine.doing { engine in
                // Meanwhile something else may have got the name.
                guard try engine.index.item(named: name, in: parent)?.number == number else { return }
                try engine.remove(name, in: parent)
            }
        case 7:
            story.append("make folder \(folderPath)/\(name)")
            guard folderPath.split(separator: "/").count < 3 else { return }
            _ = try await engine.doing { engine in try engine.makeFolder(named: name, in: folder, mode: 0o755) }
        case 8:
            guard let other = here.filter({ $0.row.item.kind == .folder }).randomElement(using: &generator) else {
                return
            }
            story.append("remove folder \(other.path)")
            let (parent, name) = (other.row.parent, other.row.name)
            try await engine.doing { engine in try engine.removeFolder(name, in: parent) }
        default:
            guard let item = here.randomElement(using: &generator) else { return }
            let mode: RenameMode = Int.random(in: 0..<5, using: &generator) == 0 ? .exchanging : .replacing
            story.append("rename \(item.path) to \(folderPath)/\(name) \(mode)")
            let (parent, oldName) = (item.row.parent, item.row.name)
            let replaced = try await engine.doing { engine in
                let other = try engine.index.item(named: name, in: folder)
                let isSame = try engine.index.item(named: oldName, in: parent)?.number == other?.number
                try engine.rename(oldName, in: parent, to: name, in: folder, mode)
                return mode == .replacing && !isSame ? other : nil
            }
            if let replaced { forgetPromises(of: replaced) }
        }
    }

    private func promise(_ word: String, in number: ItemNumber) {
        // What the engine answered after its death nobody heard.
        if !life.isDead { promised[word] = number }
    }

    /// What a file holds here goes, because whoever sees it wants it so.
    private func forgetPromises(of row: IndexedItem) {
        promised = promised.filter { $0.value != row.number }
        for place in ["data/edits", "cache/content"] {
            let path = "life-\(lives)/\(place)/\(row.number.rawValue)"
            if let bytes = try? folder.content(path) { promised[String(decoding: bytes, as: UTF8.self)] = nil }
        }
        overtake(row.item.identifier)
    }

    private func make(_ name: String, in folder: ItemNumber, _ word: String) async throws -> ItemNumber {
        let engine = engine
        let result = await withCheckedContinuation { continuation in
            engine.create(name, in: folder, mode: 0o644) { continuation.resume(returning: $0) }
        }
        let (row, opened) = try result.get()
        try await fill(opened, word)
        return row.number
    }

    private func write(_ number: ItemNumber, _ word: String) async throws {
        let engine = engine
        let result = await withCheckedContinuation { continuation in
            engine.open(number, for: .writing(truncating: true)) { continuation.resume(returning: $0) }
        }
        try await fill(try result.get(), word)
    }

    private func fill(_ opened: OpenItem, _ word: String) async throws {
        guard let file = opened.descriptor else { throw Errno.inputOutput }
        try Array(word.utf8).withUnsafeBytes { try file.writeAll($0, at: 0) }
        let result = await withCheckedContinuation { continuation in opened.close { continuation.resume(returning: $0) }
        }
        try result.get()
    }

    // MARK: Looking

    /// What is known here, without asking for more.
    ///
    /// - Parameter asAtProvider: whether a number that keeps two names apart is left out.
    private func items(asAtProvider: Bool = false) throws -> [(path: String, row: IndexedItem)] {
        var items: [(path: String, row: IndexedItem)] = []
        var folders: [(String, ItemNumber)] = [("", .root)]
        while let (path, folder) = folders.popLast() {
            try engine.index.children(of: folder) { row in
                var name = row.name
                let isNumbered = (2..<10).contains { name == MountName.numbered(row.item.filename, $0) }
                if asAtProvider, row.changes.isEmpty, isNumbered { name = row.item.filename }
                let rowPath = path.isEmpty ? name : "\(path)/\(name)"
                items.append((rowPath, row))
                if row.item.kind == .folder { folders.append((rowPath, row.number)) }
                return true
            }
        }
        return items
    }

    private func tree() async throws -> [String: String] {
        var folders: [ItemNumber] = [.root]
        while let folder = folders.popLast() {
            try await patiently { engine, completion in engine.list(folder, needs: .complete, completion: completion) }
            try engine.index.children(of: folder) { row in
                if row.item.kind == .folder { folders.append(row.number) }
                return true
            }
        }
        var tree: [String: String] = [:]
        for (path, row) in try items(asAtProvider: true) {
            switch row.item.kind {
            case .folder: tree[path] = "/"
            case .symbolicLink: tree[path] = "->\(row.item.linkTarget ?? "")"
            case .file:
                let engine = engine
                let result = await withCheckedContinuation { continuation in
                    engine.open(row.number, for: .reading) { continuation.resume(returning: $0) }
                }
                let opened = try result.get()
                try await patiently { _, completion in
                    opened.ready { completion($0.map { _ in }) }
                }
                guard let file = opened.descriptor else { throw Errno.inputOutput }
                tree[path] = String(decoding: try file.reopen(.readOnly).readToEnd(limit: 1 << 20), as: UTF8.self)
                opened.close()
            }
        }
        return tree
    }

    /// Waits for an answer while time goes by.
    private func patiently(
        _ ask: (DomainEngine, @escaping @Sendable (Result<Void, ProviderFailure>) -> Void) -> Waiting
    ) async throws {
        let answer = Lock<Result<Void, ProviderFailure>?>(nil)
        let waiting = ask(engine) { result in answer.withLock { $0 = result } }
        for _ in 0..<30_000 {
            if let result = answer.withLock({ $0 }) { return try result.get() }
            if life.isDead { break }
            clock.advance(by: 1)
            try await Task.sleep(for: .microseconds(100))
        }
        waiting.cancel()
        throw Errno.canceled
    }

    /// Whether others changed or removed what had arrived. What is gone without the engine's having deleted it they removed.
    private func isOthers(_ word: String) -> Bool {
        arrivals.isOthers(word)
            || arrivals.items(of: word).contains { provider.item(of: $0) == nil && provider.count(.delete($0)) == 0 }
    }

    /// What is not as it has to be, in sentences.
    func complaints() async throws -> [String] {
        var complaints: [String] = []
        let there = provider.tree
        // Others gave a name to two items at once, which nothing here could hinder.
        if there.keys.contains(where: { $0.contains(" (item-") }) { return [] }
        let status = try await engine.doing { try $0.editStatus() }
        for item in status.items { complaints.append("\(item.name) was not sent: \(item)") }
        let here = (try? await tree()) ?? [:]
        for path in Set(here.keys).union(there.keys).sorted() where here[path] != there[path] {
            complaints.append("\(path): here \(here[path] ?? "nothing"), there \(there[path] ?? "nothing")")
        }
        var paths: [String: [String]] = [:]
        for (path, text) in there where text.hasPrefix("word") { paths[text, default: []].append(path) }
        for word in promised.keys.sorted() where paths[word] == nil && !isOthers(word) {
            complaints.append("lost: \(word)")
        }
        for (word, paths) in paths where paths.count > 1 && !renamed.contains(word) && isSmooth {
            complaints.append("\(word) is in \(paths)")
        }
        guard !complaints.isEmpty else { return [] }
        for (path, row) in try items() {
            let said = "\(row.item.identifier), there \(row.item.filename) in \(row.item.parent)"
            complaints.append("  \(path) is \(row.number.rawValue), \(said), changed \(row.changes.rawValue)")
        }
        return complaints
    }
}

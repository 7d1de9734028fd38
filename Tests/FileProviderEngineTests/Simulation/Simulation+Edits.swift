import FileProvider
import FileProviderEngine
import FileTesting
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting

/// Local edits, as a user and programs make them.
extension Simulation {
    func edit() async throws {
        let here = try items()
        let files = here.filter { $0.row.item.kind == .file }
        let folders =
            here.filter { $0.row.item.kind == .folder }.map { ($0.path, $0.row.number) } + [("", ItemNumber.root)]
        let (folderPath, folder) = folders.randomElement(using: &generator) ?? ("", .root)
        let name = names.randomElement(using: &generator) ?? "a"
        switch Int.random(in: 0..<13, using: &generator) {
        case 12:
            story.tell("synchronize")
            let engine = engine
            let result = await withCheckedContinuation { continuation in
                engine.durable.synchronize { continuation.resume(returning: $0) }
            }
            try result.get()
        case 0, 1, 2:
            let word = word()
            story.tell("make \(folderPath)/\(name): \(word)")
            let number = try await make(name, in: folder, word)
            promise(word, in: number)
        case 3, 4, 5:
            guard let file = files.randomElement(using: &generator) else { return }
            let word = word()
            story.tell("write \(file.path) (\(file.row.number.rawValue)): \(word)")
            forgetPromises(of: file.row, words.of(file.row))
            try await write(file.row.number, word)
            promise(word, in: file.row.number)
        case 6:
            guard let file = files.randomElement(using: &generator) else { return }
            story.tell("remove \(file.path)")
            let words = words.of(file.row)
            forgetPromises(of: file.row, words)
            let (parent, name, number) = (file.row.parent, file.row.name, file.row.number)
            let (removals, life) = (removals, life)
            try await engine.doing { engine in
                // Another item may have the name by now.
                guard let row = try engine.index.item(named: name, in: parent), row.number == number else { return }
                try engine.remove(name, in: parent)
                if !life.isDead { try removals.note(row, words, in: engine.index) }
            }
        case 7:
            story.tell("make folder \(folderPath)/\(name)")
            guard folderPath.split(separator: "/").count < 3 else { return }
            _ = try await engine.doing { engine in try engine.makeFolder(named: name, in: folder, mode: 0o755) }
        case 8:
            guard let other = here.filter({ $0.row.item.kind == .folder }).randomElement(using: &generator) else {
                return
            }
            story.tell("remove folder \(other.path)")
            let (parent, name) = (other.row.parent, other.row.name)
            let (removals, life) = (removals, life)
            try await engine.doing { engine in
                let row = try engine.index.item(named: name, in: parent)
                try engine.removeFolder(name, in: parent)
                if let row, !life.isDead { try removals.note(row, [], in: engine.index) }
            }
        default:
            guard let item = here.randomElement(using: &generator) else { return }
            let mode: RenameMode = Int.random(in: 0..<5, using: &generator) == 0 ? .exchanging : .replacing
            story.tell("rename \(item.path) to \(folderPath)/\(name) \(mode)")
            let (parent, oldName) = (item.row.parent, item.row.name)
            let (removals, life, words, arrivals) = (removals, life, words, arrivals)
            let refused = Lock<Set<String>>([])
            defer { self.refused.formUnion(refused.withLock { $0 }) }
            let replaced: (row: IndexedItem, words: Set<String>)? = try await engine.doing { engine in
                let other = try engine.index.item(named: name, in: folder)
                let otherWords = other.map { words.of($0) } ?? []
                let isSame = try engine.index.item(named: oldName, in: parent)?.number == other?.number
                do {
                    try engine.rename(oldName, in: parent, to: name, in: folder, mode)
                } catch let failure as EditError where failure.errno == .noSpace {
                    refused.withLock { $0 = otherWords }
                    throw failure
                }
                guard mode == .replacing, !isSame, let other else { return nil }
                // The file that was renamed may have become the new contents of the other item.
                let identifier = arrivals.identifier(ofKey: arrivals.key(of: other.item)) ?? other.item.identifier
                let left = try engine.index.item(identifier: identifier)
                if left?.changes.contains(.deleted) ?? true, !life.isDead {
                    try removals.note(other, otherWords, in: engine.index)
                }
                return (other, otherWords)
            }
            if let replaced { forgetPromises(of: replaced.row, replaced.words) }
        }
    }

    private func promise(_ word: String, in number: ItemNumber) {
        // A reply of the engine after its death reaches no program.
        guard !life.isDead else { return }
        promised[word] = number
        held[number, default: []].insert(word)
        disk.promise(word)
    }

    /// The words that local files held, as far as they are known.
    private var words: HeldWords { HeldWords(held: held, life: "\(folder.path)/life-\(lives)") }

    /// Drops the promises of a file's words, because the user removes or replaces them deliberately.
    private func forgetPromises(of row: IndexedItem, _ words: Set<String>) {
        promised = promised.filter { $0.value != row.number }
        for word in words { promised[word] = nil }
        overtake(row.item)
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
            engine.handles.open(number, for: .writing(truncating: true)) { continuation.resume(returning: $0) }
        }
        try await fill(try result.get(), word)
    }

    private func fill(_ opened: OpenHandle, _ word: String) async throws {
        guard let file = opened.descriptor else { throw Errno.inputOutput }
        try Array(word.utf8).withUnsafeBytes { try file.writeAll($0, at: 0) }
        let result = await withCheckedContinuation { continuation in opened.close { continuation.resume(returning: $0) }
        }
        try result.get()
    }
}

import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting

/// The local view of the domain.
extension Simulation {
    /// Returns the items in the index, without a request to the provider.
    ///
    /// - Parameter asAtProvider: Whether a number that distinguishes two items of one name is left out of names.
    func items(asAtProvider: Bool = false) throws -> [(path: String, row: IndexedItem)] {
        var items: [(path: String, row: IndexedItem)] = []
        var folders: [(String, ItemNumber)] = [("", .root)]
        while let (path, folder) = folders.popLast() {
            try engine.index.children(of: folder) { row in
                var name = row.name
                let isNumbered = (2..<10).contains { name.hasSameBytes(as: MountName.numbered(row.item.filename, $0)) }
                if asAtProvider, row.changes.isEmpty, isNumbered { name = row.item.filename }
                let rowPath = path.isEmpty ? name : "\(path)/\(name)"
                if let complaint = removals.see(row) { story.tell("!!! \(complaint)") }
                items.append((rowPath, row))
                if row.item.kind == .folder { folders.append((rowPath, row.number)) }
                return true
            }
        }
        return items
    }

    func tree() async throws -> [ExactText: String] {
        var folders: [ItemNumber] = [.root]
        while let folder = folders.popLast() {
            try await patiently { engine, completion in engine.list(folder, needs: .complete, completion: completion) }
            try engine.index.children(of: folder) { row in
                if row.item.kind == .folder { folders.append(row.number) }
                return true
            }
        }
        var tree: [ExactText: String] = [:]
        for (itemPath, row) in try items(asAtProvider: true) {
            let path = ExactText(itemPath)
            switch row.item.kind {
            case .folder: tree[path] = "/"
            case .symbolicLink: tree[path] = "->\(row.item.linkTarget ?? "")"
            case .file:
                let engine = engine
                let result = await withCheckedContinuation { continuation in
                    engine.handles.open(row.number, for: .reading) { continuation.resume(returning: $0) }
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

    /// Waits for a reply while the clock advances.
    private func patiently(
        _ ask: (DomainEngine, @escaping @Sendable (Result<Void, ProviderError>) -> Void) -> Cancellable
    ) async throws {
        let answer = Lock<Result<Void, ProviderError>?>(nil)
        let waiting = ask(engine) { result in answer.withLock { $0 = result } }
        for _ in 0..<1_000 {
            await calm()
            if let result = answer.withLock({ $0 }) { return try result.get() }
            if life.isDead { break }
            clock.advance(by: 1)
        }
        waiting.cancel()
        throw Errno.canceled
    }
}

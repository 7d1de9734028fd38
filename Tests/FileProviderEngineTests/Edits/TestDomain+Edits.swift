import FileProvider
import FileProviderEngine
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import Testing

extension DomainEngine {
    /// Runs a closure on the engine's thread.
    @discardableResult
    func doing<Result: Sendable>(
        _ body: @Sendable (isolated DomainEngine) throws -> Result
    ) throws -> Result { try body(self) }
}

extension TestDomain {
    func status() async throws -> EditStatus { try await engine.doing { engine in try engine.editStatus() } }

    /// Returns the directory of a path's last name and that name, whether or not the item exists.
    func place(_ path: String) async throws -> (folder: ItemNumber, name: String) {
        let parts = path.split(separator: "/").map(String.init)
        let folder = try await item(parts.dropLast().joined(separator: "/")).number
        let name = try #require(parts.last)
        // The kernel looks a name up before it changes the item.
        try await list(folder, needs: .item(named: name))
        return (folder, name)
    }

    /// Makes a file with contents, as a program does that creates, writes and closes it.
    @discardableResult
    func make(_ path: String, _ text: String) async throws -> ItemNumber {
        let (folder, name) = try await place(path)
        let engine = engine
        let result = await withCheckedContinuation { continuation in
            engine.create(name, in: folder, mode: 0o644) { continuation.resume(returning: $0) }
        }
        let (row, opened) = try result.get()
        try await opened.write(text)
        try await opened.closed()
        return row.number
    }

    /// Replaces a file's contents, as a shell's redirection does.
    func overwrite(_ path: String, _ text: String) async throws {
        let opened = try await open(try await item(path).number, for: .writing(truncating: true))
        try await opened.write(text)
        try await opened.closed()
    }

    /// Saves a file as most programs do: writes a new file and renames it over the old one.
    func save(_ path: String, _ text: String) async throws {
        try await make(path + ".tmp", text)
        try await rename(path + ".tmp", path)
    }

    @discardableResult
    func makeFolder(_ path: String) async throws -> ItemNumber {
        let (folder, name) = try await place(path)
        return try await engine.doing { engine in
            try engine.makeFolder(named: name, in: folder, mode: 0o755).number
        }
    }

    func makeLink(_ path: String, to target: String) async throws {
        let (folder, name) = try await place(path)
        _ = try await engine.doing { engine in
            try engine.makeSymbolicLink(named: name, in: folder, target: target)
        }
    }

    func remove(_ path: String) async throws {
        let (folder, name) = try await place(path)
        try await engine.doing { engine in try engine.remove(name, in: folder) }
    }

    func removeFolder(_ path: String) async throws {
        let (folder, name) = try await place(path)
        let engine = engine
        let result = await withCheckedContinuation { continuation in
            engine.removeFolder(name, in: folder) { continuation.resume(returning: $0) }
        }
        try result.get()
    }

    func rename(_ path: String, _ newPath: String, _ mode: RenameMode = .replacing) async throws {
        let (folder, name) = try await place(path)
        let (newFolder, newName) = try await place(newPath)
        let engine = engine
        let result = await withCheckedContinuation { continuation in
            engine.rename(name, in: folder, to: newName, in: newFolder, mode) { continuation.resume(returning: $0) }
        }
        try result.get()
    }

    /// Advances the clock until no edit is in progress, except for those that are held.
    func settle(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await eventually(sourceLocation: sourceLocation) {
            if try await status().items.allSatisfy(\.isHeld) { return true }
            clock.advance(by: 1)
            return false
        }
    }

    /// Sends all edits and requests all changes, until the local tree equals the provider's.
    func settleOnProvider(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await settle(sourceLocation: sourceLocation)
        engine.signal(container: nil)
        try await eventually(sourceLocation: sourceLocation) {
            clock.advance(by: 1)
            guard await !engine.isBusy else { return false }
            return try await exactTree() == provider.exactTree
        }
    }

    /// Returns the local tree: each path with its contents, in the form of ``MemoryProvider/tree``.
    func tree() async throws -> [String: String] {
        Dictionary(try await exactTree().map { ($0.key.string, $0.value) }) { first, _ in first }
    }

    /// Returns the local tree in the form of ``MemoryProvider/exactTree``.
    func exactTree() async throws -> [ExactText: String] {
        var tree: [ExactText: String] = [:]
        var folders: [(ItemNumber, String)] = [(.root, "")]
        while let (folder, path) = folders.popLast() {
            try await list(folder)
            var items: [IndexedItem] = []
            try engine.index.children(of: folder) { item in
                items.append(item)
                return true
            }
            for item in items {
                let itemPath = path.isEmpty ? item.name : "\(path)/\(item.name)"
                let key = ExactText(itemPath)
                switch item.item.kind {
                case .folder:
                    tree[key] = "/"
                    folders.append((item.number, itemPath))
                case .symbolicLink: tree[key] = "->\(item.item.linkTarget ?? "")"
                case .file: tree[key] = try await read(item.number)
                }
            }
        }
        return tree
    }
}

/// Returns the error that a system call would fail with, or `nil` if `body` succeeds.
func errno(_ body: () async throws -> Void) async -> Errno? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? EditError)?.errno
    }
}

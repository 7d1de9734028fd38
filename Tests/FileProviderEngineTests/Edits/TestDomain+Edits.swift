import FileProvider
import FileProviderEngine
import LinuxSystem
import ProviderTesting
import Testing

extension DomainEngine {
    /// Does something on the engine's thread.
    @discardableResult
    func doing<Result: Sendable>(
        _ body: @Sendable (isolated DomainEngine) throws -> Result
    ) throws -> Result { try body(self) }
}

extension TestDomain {
    func status() async throws -> EditStatus { try await engine.doing { engine in try engine.editStatus() } }

    /// Where a path's last name is, or is to be.
    func place(_ path: String) async throws -> (folder: ItemNumber, name: String) {
        let parts = path.split(separator: "/").map(String.init)
        let folder = try await item(parts.dropLast().joined(separator: "/")).number
        let name = try #require(parts.last)
        // The kernel looks for a name before anything is done to it.
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

    /// Writes a file anew, as a shell's redirection does.
    func overwrite(_ path: String, _ text: String) async throws {
        let opened = try await open(try await item(path).number, for: .writing(truncating: true))
        try await opened.write(text)
        try await opened.closed()
    }

    /// Saves a file as most programs do: a new one is renamed over it.
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

    /// Lets time go by until nothing is on its way to the provider any more, but for what is held.
    func settle(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await eventually(sourceLocation: sourceLocation) {
            if try await status().items.allSatisfy(\.isHeld) { return true }
            clock.advance(by: 1)
            return false
        }
    }

    /// What is seen here: each path with what is there, in the words of ``MemoryProvider/tree``.
    func tree() async throws -> [String: String] {
        var tree: [String: String] = [:]
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
                switch item.item.kind {
                case .folder:
                    tree[itemPath] = "/"
                    folders.append((item.number, itemPath))
                case .symbolicLink: tree[itemPath] = "->\(item.item.linkTarget ?? "")"
                case .file: tree[itemPath] = try await read(item.number)
                }
            }
        }
        return tree
    }
}

/// What a system call would fail with; `nil` where it does not.
func errno(_ body: () async throws -> Void) async -> Errno? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? EditFailure)?.errno
    }
}

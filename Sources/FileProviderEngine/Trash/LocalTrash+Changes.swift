import FileProviderWire
import Glibc
import ItemStore
import ItemValues
import LinuxSystem

/// Moves of items into the trash and out of it, and their removal.
extension LocalTrash {
    /// Moves an item to the provider's trash, where it gets the given name in the mount. The move is journalled before
    /// this returns, and sent in the background. If a file manager has created a `.trashinfo` file for that name, it
    /// becomes the item's.
    ///
    /// - Throws: `EBUSY` if the item, or something in it, has a local change that the provider has not confirmed.
    package func trash(
        _ name: String, in parent: ItemNumber, as newName: String, _ engine: isolated any EngineEvents
    ) throws(EditError) {
        try LocalEdits.checkName(newName)
        guard newName.utf8.count <= Self.longestName else { throw EditError(.nameTooLong) }
        let (known, draft, found) = try reading { () throws(IndexError) in
            (
                try item(named: newName), try note(named: newName + Self.noteSuffix),
                try index.item(named: name, in: parent)
            )
        }
        guard let row = found else { throw EditError(.noSuchFile) }
        guard known == nil else { throw EditError(.fileExists) }
        let path = try reading { () throws(IndexError) in
            var paths = FolderPaths(index, root: "")
            return try paths.path(of: row)
        }
        try edits.trash(row.number, engine)
        var node = draft ?? newNode(.files, named: newName)
        node.name = newName
        node.noteName = newName + Self.noteSuffix
        node.item = row.item
        node.pending = row.number
        node.path = path ?? row.name
        node.date = context.clock.now
        store([node])
    }

    /// Moves an item out of the trash. Waits for the provider.
    ///
    /// - Parameters:
    ///   - folder: The directory to move the item to.
    ///   - name: The item's name in that directory.
    /// - Throws: A failure of kind `filenameCollision` if the name is taken, and of kind `transient` if the item's
    ///   move to the trash could not be sent yet.
    package func restore(
        _ number: Int64, to folder: ItemNumber, named name: String, _ engine: isolated any EngineEvents
    ) async throws(ProviderError) {
        try checkIsFree(name, in: folder)
        let identifier = try await leave(number)
        defer { leaving.remove(number) }
        let item = try await trash.restore(identifier, to: folder, engine)
        becomeNote(number)
        let row = try onRecord { () throws(IndexError) in try index.item(identifier: item.identifier) }
        guard let row, row.parent != folder || !row.name.hasSameBytes(as: name) else { return }
        do throws(EditError) {
            try edits.rename(row.name, in: row.parent, to: name, in: folder, .onlyToFreeName, engine)
        } catch  where error.errno == .fileExists {
            throw ProviderError(.filenameCollision, message: "The name was taken meanwhile.")
        } catch {
            throw ProviderError(.notPermitted, message: "The restored item cannot be renamed.")
        }
    }

    private func checkIsFree(_ name: String, in folder: ItemNumber) throws(ProviderError) {
        let other = try onRecord { () throws(IndexError) in try index.item(named: name, in: folder) }
        if other != nil { throw ProviderError(.filenameCollision, message: "The name is taken.") }
    }

    /// Removes an item from the trash permanently, a directory with everything in it. Waits for the provider. The
    /// `.trashinfo` file stays until a program removes it.
    package func remove(_ number: Int64, _ engine: isolated any EngineEvents) async throws(ProviderError) {
        let identifier = try await leave(number)
        defer { leaving.remove(number) }
        try await trash.remove(identifier, engine)
        becomeNote(number)
    }

    /// The maximum time in seconds to wait until a move to the trash is sent.
    private static let longestWait = 4.0

    /// Waits until the move of an item to the trash is sent, and marks the item as leaving the trash.
    ///
    /// - Returns: The item's identifier.
    private nonisolated(nonsending) func leave(_ number: Int64) async throws(ProviderError) -> String {
        if let pending = nodes[number]?.pending {
            try await progress.waitForRemoval(of: pending, upTo: Self.longestWait)
            guard !isClosed else { throw .closed }
        }
        let node = try onRecord { () throws(IndexError) in try self.node(number) }
        guard let node, let item = node.item else { throw .noSuchItem }
        guard node.pending == nil else {
            throw ProviderError(.transient, message: "The item is still being moved to the trash.")
        }
        guard leaving.insert(number).inserted else {
            throw ProviderError(.transient, message: "The item is already being moved out of the trash.")
        }
        return item.identifier
    }

    /// Removes an item that has left the trash. Its `.trashinfo` file stays, if it has one.
    private func becomeNote(_ number: Int64) {
        guard var node = nodes[number] else { return }
        let inside = Array(insides[number] ?? [])
        guard node.noteName != nil else { return store([], removing: [number]) }
        node.bytes = Self.bytes(of: node)
        node.item = nil
        node.pending = nil
        node.name = ""
        store([node], removing: inside)
        children[number] = nil
    }

    // MARK: Items in trashed directories

    /// Hides an item of a trashed directory. No request is sent, because the provider removes the item with the
    /// directory.
    package func hide(_ number: Int64) { hidden.insert(number) }

    /// Whether all items of a listed directory are hidden.
    package func isEmpty(_ number: Int64) -> Bool {
        children[number]?.values.allSatisfy { hidden.contains($0) } ?? false
    }
}

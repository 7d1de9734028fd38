import FileProviderWire
import Glibc
import ItemStore
import ItemValues
import LinuxSystem

/// Moves items into the trash and out of it, and removes them from it.
extension LocalTrash {
    /// Moves an item to the provider's trash. In the mounted trash, the item gets the name `newName`. The move is
    /// journalled before this function returns, and is sent in the background. If a file manager has created a
    /// `.trashinfo` file for that name, this file is used for the item.
    ///
    /// - Throws: `EBUSY` if the item, or something in it, has a local change that the provider has not confirmed.
    package func trash(
        _ name: String, in parent: ItemNumber, as newName: String, _ engine: isolated any EngineEvents
    ) throws(EditError) {
        try LocalEdits.checkName(newName)
        guard newName.utf8.count <= Self.longestName else { throw EditError(.nameTooLong) }
        let (known, draft, found) = try reading { () throws(IndexError) in
            (
                try item(named: newName), try infoFile(named: newName + Self.infoSuffix),
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
        node.infoName = newName + Self.infoSuffix
        node.item = row.item
        node.pending = row.number
        node.path = path ?? row.name
        node.date = context.clock.now
        store([node])
    }

    /// Moves an item out of the trash. Returns after the provider has moved it.
    ///
    /// - Parameters:
    ///   - folder: The directory to move the item to.
    ///   - name: The item's name in that directory.
    /// - Throws: A failure of kind `filenameCollision` if another item has the name. A failure of kind `transient` if
    ///   the item's move to the trash could not be sent yet, or if the item is already leaving the trash.
    package func restore(
        _ number: Int64, to folder: ItemNumber, named name: String, _ engine: isolated any EngineEvents
    ) async throws(ProviderError) {
        try checkIsFree(name, in: folder)
        let identifier = try await leave(number)
        defer { leaving.remove(number) }
        let item = try await trash.restore(identifier, to: folder, engine)
        becomeInfoFile(number)
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

    /// Removes an item from the trash permanently. A directory is removed with everything in it. Returns after the
    /// provider has removed the item. The `.trashinfo` file stays until a program removes it.
    package func remove(_ number: Int64, _ engine: isolated any EngineEvents) async throws(ProviderError) {
        let identifier = try await leave(number)
        defer { leaving.remove(number) }
        try await trash.remove(identifier, engine)
        becomeInfoFile(number)
    }

    /// The maximum time in seconds to wait until an item's move to the trash is sent.
    private static let longestWait = 4.0

    /// Waits until the move of an item to the trash is sent, and records that the item is about to leave the trash.
    ///
    /// - Returns: The item's identifier in the trash.
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

    /// Removes the item of a node from the mounted trash, because the item has left the provider's trash. If the node
    /// has a `.trashinfo` file, the file stays.
    private func becomeInfoFile(_ number: Int64) {
        guard var node = nodes[number] else { return }
        let inside = Array(insides[number] ?? [])
        guard node.infoName != nil else { return store([], removing: [number]) }
        node.bytes = Self.bytes(of: node)
        node.item = nil
        node.pending = nil
        node.name = ""
        store([node], removing: inside)
        children[number] = nil
    }

    // MARK: Items in trashed directories

    /// Hides an item in a trashed directory, because a program has removed it. No request is sent, because the provider
    /// removes the item together with the directory.
    package func hide(_ number: Int64) { hidden.insert(number) }

    /// Whether the given trashed directory was listed and all its items are hidden.
    package func isEmpty(_ number: Int64) -> Bool {
        children[number]?.values.allSatisfy { hidden.contains($0) } ?? false
    }
}

import FileProvider
import ItemStore
import LinuxSystem

/// The calls of clients that edits serve.
extension DomainEngine {
    // MARK: Items

    /// Creates an empty file and opens it for writing.
    ///
    /// - Parameter completion: Called on the engine's thread; must not block.
    package nonisolated func create(
        _ name: String, in parent: ItemNumber, mode: UInt16,
        completion: @escaping @Sendable (Result<(IndexedItem, OpenHandle), EditError>) -> Void
    ) {
        perform { engine in
            do throws(EditError) {
                let row = try engine.createFile(named: name, in: parent, mode: mode)
                engine.open(row.number, for: .writing(truncating: false)) { result in
                    completion(result.map { (row, $0) }.mapError { EditError($0) })
                }
            } catch {
                completion(.failure(error))
            }
        }
    }

    /// Creates an empty file. It is sent after it is closed.
    ///
    /// - Parameter mode: The provider only receives whether the file is executable.
    package func createFile(named name: String, in parent: ItemNumber, mode: UInt16) throws(EditError) -> IndexedItem {
        try localEdits.createFile(named: name, in: parent, mode: mode, self)
    }

    package func makeFolder(named name: String, in parent: ItemNumber, mode: UInt16) throws(EditError) -> IndexedItem {
        try localEdits.makeFolder(named: name, in: parent, mode: mode, self)
    }

    package func makeSymbolicLink(
        named name: String, in parent: ItemNumber, target: String
    ) throws(EditError) -> IndexedItem {
        try localEdits.makeSymbolicLink(named: name, in: parent, target: target, self)
    }

    /// Removes a file or a symbolic link, as ``LocalEdits/remove(_:in:_:)`` does.
    @discardableResult
    package func remove(_ name: String, in parent: ItemNumber) throws(EditError) -> IndexedItem {
        try localEdits.remove(name, in: parent, self)
    }

    /// Removes an empty directory, as ``LocalEdits/removeFolder(_:in:_:)`` does.
    @discardableResult
    package func removeFolder(_ name: String, in parent: ItemNumber) throws(EditError) -> IndexedItem {
        try localEdits.removeFolder(name, in: parent, self)
    }

    /// Renames or moves an item.
    ///
    /// - Returns: The item that was replaced.
    @discardableResult
    package func rename(
        _ name: String, in parent: ItemNumber, to newName: String, in newParent: ItemNumber,
        _ mode: RenameMode = .replacing
    ) throws(EditError) -> IndexedItem? {
        try localEdits.rename(name, in: parent, to: newName, in: newParent, mode, self)
    }

    /// Moves an item to the provider's trash, as ``LocalEdits/trash(_:_:)`` does.
    package func trash(_ number: ItemNumber) throws(EditError) { try localEdits.trash(number, self) }

    /// Sets mode and modification date, as ``LocalEdits/setAttributes(of:mode:modified:_:)`` does.
    package func setAttributes(
        of number: ItemNumber, mode: UInt16?, modified: Double?
    ) throws(EditError) -> IndexedItem {
        try localEdits.setAttributes(of: number, mode: mode, modified: modified, self)
    }

    /// Sets or removes an extended attribute, as ``LocalEdits/setExtendedAttribute(_:of:to:if:_:)`` does.
    package func setExtendedAttribute(
        _ name: String, of number: ItemNumber, to value: [UInt8]?, if isThere: Bool? = nil
    ) throws(EditError) {
        try localEdits.setExtendedAttribute(name, of: number, to: value, if: isThere, self)
    }

    // MARK: Items in directories that may not be listed

    /// Removes an empty directory. A directory that was never enumerated is enumerated first.
    ///
    /// - Parameter completion: Called on the engine's thread or the calling one; must not block.
    /// - Returns: A handle that cancels the wait for the enumeration.
    @discardableResult
    package nonisolated func removeFolder(
        _ name: String, in parent: ItemNumber,
        completion: @escaping @Sendable (Result<Void, EditError>) -> Void
    ) -> Cancellable {
        whenListed({ engine throws(EditError) in try engine.removeFolder(name, in: parent) }, completion)
    }

    /// Performs an edit. If the edit fails because a directory must be enumerated completely first, enumerates the
    /// directory and tries once more.
    nonisolated func whenListed(
        _ edit: @escaping @Sendable (isolated DomainEngine) throws(EditError) -> Void,
        _ completion: @escaping @Sendable (Result<Void, EditError>) -> Void
    ) -> Cancellable {
        let answer = OneShotCompletion(completion)
        let waits = CancellableSet()
        perform { engine in
            do throws(EditError) {
                try edit(engine)
                answer.complete(.success(()))
            } catch {
                guard let folder = error.unlistedFolder else { return answer.complete(.failure(error)) }
                let waiting = engine.list(folder, needs: .complete) { result in
                    guard case .success = result else { return answer.complete(.failure(error)) }
                    engine.perform { engine in
                        answer.complete(Result { () throws(EditError) in try edit(engine) })
                    }
                }
                waits.add(waiting)
            }
        }
        return Cancellable {
            answer.complete(.failure(EditError(.interrupted)))
            waits.cancel()
        }
    }

    /// Renames or moves an item. If it replaces a directory that is not known to be empty, enumerates that directory
    /// first.
    ///
    /// - Parameter completion: Called on the engine's thread or the calling one; must not block.
    /// - Returns: A handle that cancels the wait for the enumeration.
    @discardableResult
    package nonisolated func rename(
        _ name: String, in parent: ItemNumber, to newName: String, in newParent: ItemNumber, _ mode: RenameMode,
        completion: @escaping @Sendable (Result<Void, EditError>) -> Void
    ) -> Cancellable {
        whenListed(
            { engine throws(EditError) in
                try engine.rename(name, in: parent, to: newName, in: newParent, mode)
            }, completion)
    }

    /// Sets a closure that decides, before each commit to journal or index, whether the disk has room for it: for
    /// tests.
    package func limitRoom(_ hasRoom: (@Sendable () -> Bool)?) {
        journal.limitRoom(hasRoom)
        index.limitRoom(hasRoom)
    }

    /// Sets a closure that is called on the engine's thread whenever journal and index disagree for a moment: for
    /// tests.
    package func observeEdits(_ observer: (@Sendable () -> Void)?) { components.writer.observer = observer }

    /// Ends the work of edits, before the engine ends.
    func closeEdits() async {
        await scheduler.close()
        // If the disk is still full, the owed journal entries are lost.
        try? journal.payChanges()
        // No client will close the files that were removed while open. The next start would mistake their bytes for a
        // lost edit.
        let discarded = openFiles.withLock { $0.entries.filter(\.value.isDiscarded).keys }
        for number in discarded { try? folders.remove(number, in: folders.edits) }
    }
}

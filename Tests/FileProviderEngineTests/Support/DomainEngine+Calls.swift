import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Calls of components that many tests make, with one hop to the engine's thread.
extension DomainEngine {
    // MARK: Files

    /// Creates an empty file and opens it for writing, as the mount does.
    nonisolated func create(
        _ name: String, in parent: ItemNumber, mode: UInt16,
        completion: @escaping @Sendable (Result<(IndexedItem, OpenHandle), EditError>) -> Void
    ) {
        perform { engine in
            do throws(EditError) {
                let row = try engine.localEdits.createFile(named: name, in: parent, mode: mode, engine)
                engine.handles.open(row.number, for: .writing(truncating: false)) { result in
                    completion(result.map { (row, $0) }.mapError { EditError($0) })
                }
            } catch {
                completion(.failure(error))
            }
        }
    }

    /// Removes an empty directory. A directory that was never enumerated is enumerated first, as in the mount.
    nonisolated func removeFolder(
        _ name: String, in parent: ItemNumber, completion: @escaping @Sendable (Result<Void, EditError>) -> Void
    ) {
        whenListed({ engine throws(EditError) in try engine.removeFolder(name, in: parent) }, completion)
    }

    /// Renames or moves an item. If it replaces a directory that is not known to be empty, enumerates that directory
    /// first, as the mount does.
    nonisolated func rename(
        _ name: String, in parent: ItemNumber, to newName: String, in newParent: ItemNumber, _ mode: RenameMode,
        completion: @escaping @Sendable (Result<Void, EditError>) -> Void
    ) {
        whenListed(
            { engine throws(EditError) in try engine.rename(name, in: parent, to: newName, in: newParent, mode) },
            completion)
    }

    /// Performs an edit. If the edit fails because a directory must be enumerated completely first, enumerates the
    /// directory and tries once more.
    private nonisolated func whenListed(
        _ edit: @escaping @Sendable (isolated DomainEngine) throws(EditError) -> Void,
        _ completion: @escaping @Sendable (Result<Void, EditError>) -> Void
    ) {
        perform { engine in
            do throws(EditError) {
                try edit(engine)
                completion(.success(()))
            } catch {
                guard let folder = error.unlistedFolder else { return completion(.failure(error)) }
                engine.list(folder, needs: .complete) { result in
                    guard case .success = result else { return completion(.failure(error)) }
                    engine.perform { engine in
                        completion(Result { () throws(EditError) in try edit(engine) })
                    }
                }
            }
        }
    }

    // MARK: Edits

    func makeFolder(named name: String, in parent: ItemNumber, mode: UInt16) throws(EditError) -> IndexedItem {
        try localEdits.makeFolder(named: name, in: parent, mode: mode, self)
    }

    func makeSymbolicLink(
        named name: String, in parent: ItemNumber, target: String
    ) throws(EditError) -> IndexedItem {
        try localEdits.makeSymbolicLink(named: name, in: parent, target: target, self)
    }

    @discardableResult
    func remove(_ name: String, in parent: ItemNumber) throws(EditError) -> IndexedItem {
        try localEdits.remove(name, in: parent, self)
    }

    @discardableResult
    func removeFolder(_ name: String, in parent: ItemNumber) throws(EditError) -> IndexedItem {
        try localEdits.removeFolder(name, in: parent, self)
    }

    @discardableResult
    func rename(
        _ name: String, in parent: ItemNumber, to newName: String, in newParent: ItemNumber,
        _ mode: RenameMode = .replacing
    ) throws(EditError) -> IndexedItem? {
        try localEdits.rename(name, in: parent, to: newName, in: newParent, mode, self)
    }

    func trash(_ number: ItemNumber) throws(EditError) { try localEdits.trash(number, self) }

    func setAttributes(of number: ItemNumber, mode: UInt16?, modified: Double?) throws(EditError) -> IndexedItem {
        try localEdits.setAttributes(of: number, mode: mode, modified: modified, self)
    }

    func setExtendedAttribute(_ name: String, of number: ItemNumber, to value: [UInt8]?) throws(EditError) {
        try localEdits.setExtendedAttribute(name, of: number, to: value, if: nil, self)
    }

    func editStatus() throws(IndexError) -> EditStatus { try progress.editStatus() }

    func editStatus(of numbers: [ItemNumber]) throws(IndexError) -> [ItemNumber: EditStatus.Item] {
        try progress.editStatus(of: numbers)
    }

    func waitForEdits(
        below top: ItemNumber = .root, from waiter: EditWaiter = .other
    ) async throws(ProviderError) {
        try await progress.waitForEdits(below: top, from: waiter)
    }

    func waitForRemoval(of number: ItemNumber, upTo seconds: Double) async throws(ProviderError) {
        try await progress.waitForRemoval(of: number, upTo: seconds)
    }

    func sendContentsAgain(_ number: ItemNumber) throws(ProviderError) {
        try localEdits.sendContentsAgain(number, self)
    }

    // MARK: Items

    func pin(_ number: ItemNumber, _ isPinned: Bool) throws(ProviderError) {
        try pinning.pin(number, isPinned, self)
    }

    func untrash(_ identifier: String, to folder: ItemNumber? = nil) async throws(ProviderError) {
        try await trash.restore(identifier, to: folder, self)
    }

    func removeFromTrash(_ identifier: String) async throws(ProviderError) {
        try await trash.remove(identifier, self)
    }

    func setTags(_ names: [String], of number: ItemNumber) throws(EditError) {
        try metadata.setTags(names, of: number, self)
    }

    func changeTags(
        adding added: [String], removing removed: [String], of number: ItemNumber
    ) throws(EditError) -> [String] {
        try metadata.changeTags(adding: added, removing: removed, of: number, self)
    }

    func setFavorite(_ isFavorite: Bool, of number: ItemNumber) throws(EditError) {
        try metadata.setFavorite(isFavorite, of: number, self)
    }

    func setLastUsed(_ time: Double, of number: ItemNumber) throws(EditError) {
        try metadata.setLastUsed(time, of: number, self)
    }

    func noteFailedSignIn(_ failure: ProviderError) { signIn.noteFailedAttempt(failure) }

    func reimport(below identifier: String) throws(ProviderError) { try imports.reimport(below: identifier, self) }

    func importDirectory(at path: String) throws(ProviderError) { try directoryImport.begin(at: path, self) }
}

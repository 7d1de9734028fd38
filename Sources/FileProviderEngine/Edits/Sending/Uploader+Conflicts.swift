import FileProvider
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Resolves conflicts: the provider's version is not the one that the local edit is based on.
extension Uploader {
    /// Resolves the difference between the contents at the provider and the version that the edit is based on. The
    /// contents are an earlier upload of this engine, or there is a conflict.
    func resolveConflict(
        _ number: ItemNumber, _ current: ProviderItem, _ engine: isolated any EngineEvents
    ) async throws -> StepResult {
        let generation = scheduler.table[number].generation
        let (likeness, theirs) = try await likeness(of: number, to: current)
        guard var entry = try journal.entry(number), entry.changes.contains(.contents),
            let row = try index.itemEvenIfDeleted(number), row.item.identifier.hasSameBytes(as: current.identifier),
            // The removal of the item replaces the edit, so that no conflict remains.
            !entry.changes.contains(.deleted)
        else { return .done }
        switch likeness {
        case .edited:
            return try uploadDidFinish(
                number, generation: generation, size: theirs.size ?? row.localSize, theirs, asked: theirs.identifier,
                engine)
        case .sent:
            entry.baseVersion = theirs.contentVersion
            let changed = entry
            try writer.confirm([.put(changed)]) { writer throws(IndexError) in
                try writer.update(number) { $0.item = theirs }
            }
        case .other:
            // The provider first reported another version than the edit's base, but then returned contents of the base
            // version, so there is no conflict.
            if !entry.baseVersion.isEmpty, theirs.contentVersion == entry.baseVersion {
                throw ProviderError(.transient, message: "The provider's replies have different versions.")
            }
            try keepBoth(entry, row, theirs, engine)
        }
        return .done
    }

    enum Likeness {
        /// The provider's contents equal the present local ones.
        case edited
        /// The provider's contents are an earlier upload of this engine. The file was edited again after that upload.
        case sent
        case other
    }

    /// Half of the reported size in bytes up to which contents at the provider are always fetched for a comparison.
    /// Larger contents are fetched if their reported size is at most twice that of the largest local contents.
    private static let smallSize: Int64 = 1 << 19

    /// Compares the contents at the provider with the local ones and with the upload copies.
    ///
    /// - Returns: The result, and the item that the provider reported with the contents; the given item if the contents
    ///   were not fetched.
    nonisolated(nonsending) func likeness(
        of number: ItemNumber, to item: ProviderItem
    ) async throws -> (Likeness, ProviderItem) {
        var candidates: [(Likeness, FileDescriptor)] = []
        if let file = try folders.open(number, in: folders.edits, .readOnly) { candidates.append((.edited, file)) }
        for name in UploadName.all(number) {
            guard let file = try? folders.uploads.open(name, [.readOnly, .noFollow]) else { continue }
            candidates.append((.sent, file))
        }
        let compared = candidates
        // Many providers report size 0 for an unknown size, and some report a wrong size. Therefore contents are
        // fetched unless their reported size is far larger than all local contents.
        let sizes = try compared.map { try Int64($0.1.status().size) }
        guard let largest = sizes.max(), (item.size ?? 0) / 2 <= max(largest, Self.smallSize) else {
            return (.other, item)
        }
        let contents: ProviderContents
        do {
            contents = try await asking { () async throws(ProviderError) in
                try await provider.contents(of: item.identifier) { _, _ in }
            }
        } catch let failure as ProviderError where failure.kind == .cannotSynchronize {
            // The service does not have the contents any more, so they cannot be compared. Both versions stay.
            return (.other, item)
        }
        try check(contents.item, is: .file, item.identifier)
        let likeness = try await blocking {
            try compared.first { try ContentComparison.areEqual($0.1, contents.descriptor) }?.0 ?? .other
        }
        await provider.stopProviding(item.identifier)
        try contents.checkUnchanged()
        if isClosed { throw EngineClosedError() }
        return (likeness, contents.item)
    }

    /// Preserves both versions. The local edit becomes a new item with another name.
    private func keepBoth(
        _ entry: JournalEntry, _ row: IndexedItem, _ theirs: ProviderItem, _ engine: isolated any EngineEvents
    ) throws {
        let number = entry.number
        let now = clock.now
        let name = try recorder.freeName(in: row.parent) {
            ConflictName.conflictedCopy(of: row.name, at: now, number: $0)
        }
        try recreation.becomeNew(entry, row, in: row.parent, named: name, followedBy: [theirs], engine)
        recorder.note(.conflict(copy: name), of: number, row.name)
    }
}

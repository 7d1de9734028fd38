import Glibc
import ItemStore
import ItemValues
import LinuxSystem

/// Repairs the local contents of files after a crash.
///
/// It calls ``ContentCache``. Used only on the engine's thread (see ``EngineContext``).
struct ContentRecovery: EngineComponent {
    let context: EngineContext
    private let cache: ContentCache

    init(_ context: EngineContext, _ cache: ContentCache) {
        self.context = context
        self.cache = cache
    }

    /// Repairs the directories of contents when the engine starts after its predecessor was killed.
    ///
    /// - Parameters:
    ///   - isRebuilt: Whether the index was rebuilt, so that the versions of clean contents and parts are unknown.
    ///   - journalled: The items that have an entry in the journal.
    func recoverContents(afterRebuilding isRebuilt: Bool, journalled: Set<ItemNumber>) throws {
        // A rebuilt index does not know the versions of these files. The provider has all their contents.
        if isRebuilt {
            try folders.empty(folders.clean)
            try folders.empty(folders.parts)
        }
        try recoverParts()
        for number in try folders.numbers(in: folders.edits) where !journalled.contains(number) { try putBack(number) }
    }

    /// Deletes parts of files that the index does not record. After a reboot of the machine, deletes all parts, because
    /// they may not have reached the disk before the index recorded them.
    private func recoverParts() throws {
        let (key, boot) = ("parts.boot", Array(context.configuration.bootIdentifier.utf8))
        let isSameBoot = try context.index.setting(key) == boot
        for number in try folders.numbers(in: folders.parts) {
            guard let row = try context.index.item(number), row.content == .partial else {
                try folders.remove(number, in: folders.parts)
                continue
            }
            if !isSameBoot { try cache.forgetContents(number) }
        }
        if !isSameBoot { try context.index.write { writer throws(IndexError) in try writer.setSetting(key, boot) } }
    }

    /// Moves a file from `edits` back to the clean contents, if the previous engine moved the file to `edits` for an
    /// opening and ended before the journal recorded this opening. Such a file is unmodified, and is recognized by its
    /// date and size. Any other file is an edit and stays.
    private func putBack(_ number: ItemNumber) throws {
        guard let row = try context.index.item(number), row.content == .current,
            row.localVersion == row.item.contentVersion
        else { return }
        let status = try folders.edits.status(of: ContentFolders.name(number))
        let date = timespec(seconds: row.item.modified ?? 0)
        guard Int64(status.size) == row.localSize, status.modified.tv_sec == date.tv_sec,
            status.modified.tv_nsec / 1000 == date.tv_nsec / 1000
        else { return }
        try folders.move(number, from: folders.edits, to: folders.clean)
    }

    // MARK: Contents without an item

    /// Deletes the contents in ``ContentFolders/removed`` that no handle reads.
    func sweepRemoved() {
        do throws(Errno) {
            for number in try folders.numbers(in: folders.removed) where openFiles.entry(number) == nil {
                try folders.remove(number, in: folders.removed)
            }
        } catch {
            context.recordBackgroundError(error)
        }
    }

    /// Deletes clean contents of items that do not exist. The previous engine may have ended after it deleted an item
    /// and before it deleted the contents.
    func sweepClean(_ engine: isolated any EngineEvents) {
        do throws(Errno) {
            sweepClean(try folders.numbers(in: folders.clean)[...], engine)
        } catch {
            context.recordBackgroundError(error)
        }
    }

    /// Examines the first thousand numbers, and deletes the clean contents of those that belong to no item. Examines
    /// the rest in later jobs, so that other requests are not delayed.
    func sweepClean(_ numbers: ArraySlice<ItemNumber>, _ engine: isolated any EngineEvents) {
        guard !context.isClosed else { return }
        do throws(Errno) {
            for number in numbers.prefix(1000) where openFiles.entry(number) == nil {
                // The contents of an item that cannot be read stay.
                let row = Result { () throws(IndexError) in try context.index.itemEvenIfDeleted(number) }
                if case .success(nil) = row { try folders.remove(number, in: folders.clean) }
            }
        } catch {
            context.recordBackgroundError(error)
        }
        let rest = numbers.dropFirst(1000)
        if !rest.isEmpty { engine.perform { $0.contentRecovery.sweepClean(rest, $0) } }
    }
}

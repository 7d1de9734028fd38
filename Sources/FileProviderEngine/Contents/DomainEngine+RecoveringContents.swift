import FileProvider
import Glibc
import LinuxSystem

/// Recovery of contents after a crash.
extension DomainEngine {
    /// Repairs the content directories at start, after the previous engine was killed.
    ///
    /// - Parameter journalled: the items that have an entry in the journal.
    func recoverContents(afterRebuilding isRebuilt: Bool, journalled: Set<ItemNumber>) throws {
        // A rebuilt index does not know the versions of these files, and the provider has them all.
        if isRebuilt {
            try folders.empty(folders.clean)
            try folders.empty(folders.parts)
        }
        try recoverParts()
        for number in try folders.numbers(in: folders.edits) where !journalled.contains(number) { try putBack(number) }
    }

    /// Drops the parts that the index does not know, and all parts after a reboot. Parts are not synchronized to disk
    /// before the index records them, so they are valid only until the machine is restarted.
    private func recoverParts() throws {
        let (key, boot) = ("parts.boot", Array(configuration.bootIdentifier.utf8))
        let isSameBoot = try index.setting(key) == boot
        for number in try folders.numbers(in: folders.parts) {
            guard let row = try index.item(number), row.content == .partial else {
                try folders.remove(number, in: folders.parts)
                continue
            }
            if !isSameBoot { try forgetContents(number) }
        }
        if !isSameBoot { try index.write { writer throws(IndexFailure) in try writer.setSetting(key, boot) } }
    }

    /// Returns a file to the clean contents that was moved to `edits` when it was opened for writing, if the engine
    /// ended before the journal recorded that. Such a file is unmodified, and is identified by its date and size. Any
    /// other file is an edit and stays.
    private func putBack(_ number: ItemNumber) throws {
        guard let row = try index.item(number), row.content == .current,
            row.localVersion == row.item.contentVersion
        else { return }
        let status = try folders.edits.status(of: ContentFolders.name(number))
        let date = timespec(seconds: row.item.modified ?? 0)
        guard Int64(status.size) == row.localSize, status.modified.tv_sec == date.tv_sec,
            status.modified.tv_nsec / 1000 == date.tv_nsec / 1000
        else { return }
        try folders.move(number, from: folders.edits, to: folders.clean)
    }
}

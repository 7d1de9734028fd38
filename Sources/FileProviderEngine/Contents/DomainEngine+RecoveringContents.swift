import FileProvider
import Glibc
import LinuxSystem

/// What a crash left of contents.
extension DomainEngine {
    /// Puts right at the start what an engine left that was killed.
    ///
    /// - Parameter journalled: the items that the journal has entries of.
    func recoverContents(afterRebuilding isRebuilt: Bool, journalled: Set<ItemNumber>) throws {
        // Nobody knows what these are, and the provider has them all.
        if isRebuilt {
            try folders.empty(folders.clean)
            try folders.empty(folders.parts)
        }
        try recoverParts()
        for number in try folders.numbers(in: folders.edits) where !journalled.contains(number) { try putBack(number) }
    }

    /// The index knows which parts are in a file, and nobody waited for the disk to have them: they count for as long as the machine
    /// has been running since.
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

    /// A file was moved among the edits when it was opened for writing, and the engine ended before the journal knew: so nobody has
    /// written to it. It is known again by its date and size; any other file is an edit, and is left to those.
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

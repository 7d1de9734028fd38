import FileProvider
import LinuxSystem

/// Another version of a file that programs have open for reading. Their openings keep the bytes of the earlier version, which lie in a
/// file of their own from then on; later openings wait for the new one. Where the new version only adds bytes at the end, they are added
/// to the file that is open: all go on with that, as `tail -f` expects.
extension DomainEngine {
    /// The largest growth that is fetched without a program that opens the file anew; bytes.
    private static let largestGrowth: Int64 = 64 << 20

    /// Has later openings of an outdated file wait for the version that the provider has.
    func beginReplacing(_ row: IndexedItem) {
        let number = row.number
        guard row.content == .current, let entry = openFiles.entry(number), entry.writers == 0, !entry.isUnfinished,
            !entry.isDiscarded, entry.reading != nil || entry.isReplacing
        else { return }
        openFiles.update(number) { entry in
            if entry.earlierFile == nil { entry.earlierFile = entry.reading }
            entry.reading = nil
            entry.isReplacing = true
        }
        let growth = (row.item.size ?? 0) - row.localSize
        if growth > 0, row.item.size ?? 0 <= Self.largestGrowth { startFetch(number) }
    }

    /// Adds the end of a fetched file to the file of the earlier version, if that is its beginning. Works on another thread than the
    /// engine's.
    ///
    /// - Returns: whether it was, and programs have the file open.
    func growReplaced(_ number: ItemNumber, modified: Double?) async throws(ProviderFailure) -> Bool {
        guard openFiles.entry(number)?.isReplacing == true else { return false }
        let folders = folders
        return try await HandlerThreads.shared.value { () -> Result<Bool, ProviderFailure> in
            Result { () throws(ProviderFailure) in try folders.addEnd(of: number, modified: modified) }
        }.get()
    }

    /// The new version is here.
    func endReplacing(_ number: ItemNumber, isGrowth: Bool) {
        guard let entry = openFiles.entry(number), entry.isReplacing else { return }
        let file = isGrowth ? try? folders.open(number, in: folders.clean, .readOnly) : nil
        let isSame = file.map { isSameFile($0, entry.earlierFile) } ?? false
        openFiles.update(number) { entry in
            entry.isReplacing = false
            entry.isOutdated = false
            entry.reading = isSame ? entry.earlierFile : file
            if isSame { entry.earlierFile = nil }
        }
        events.tell(.contentsReplaced(number))
    }

    /// A program throws the contents away before the new version is here: that is not fetched any more, and earlier openings keep theirs.
    func endReplacingUnfetched(_ number: ItemNumber) throws(ProviderFailure) {
        cancelFetch(number)
        openFiles.update(number) { entry in
            entry.isReplacing = false
            entry.isOutdated = false
        }
        // Not the same file for the edit: the end of the new version may just be added to it.
        try forgetContents(number)
    }

    private func isSameFile(_ file: FileDescriptor, _ other: FileDescriptor?) -> Bool {
        guard let one = try? file.status().identity, let two = try? other?.status().identity else { return false }
        return one == two
    }
}

extension ContentFolders {
    /// Adds to a clean file what the incoming one has more, if it begins with the same bytes.
    ///
    /// - Parameter modified: the date by which the file is known again.
    /// - Returns: whether it does.
    fileprivate func addEnd(of number: ItemNumber, modified: Double?) throws(ProviderFailure) -> Bool {
        do {
            guard let new = try open(number, in: incoming, .readOnly), let old = try open(number, in: clean, .readWrite)
            else { return false }
            let (size, newSize) = (Int(try old.status().size), Int(try new.status().size))
            guard newSize >= size, try ContentComparison.areEqual(old, new, in: 0..<size) else { return false }
            try FileCopier.copyRange(size..<newSize, of: new, to: old, named: Self.name(number))
            // A hole at the end is not written.
            if try old.status().size < newSize { try old.truncate(to: newSize) }
            try ContentStamp.date(old, modified)
            return true
        } catch let error as CopyError {
            throw ProviderFailure(error)
        } catch let error as Errno {
            throw ProviderFailure(error)
        } catch {
            throw ProviderFailure(.transient, message: "\(error)")
        }
    }
}

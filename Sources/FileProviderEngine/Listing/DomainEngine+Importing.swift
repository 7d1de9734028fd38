import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// The import of a directory; see ``DirectoryImport``.
extension DomainEngine {
    private static let importKey = "import.directory"

    /// Makes everything in a directory of this machine new items of the domain, and removes it from the directory.
    /// Returns when the import is recorded, so that a crash does not end it. In the end, the provider is told.
    package func importDirectory(at path: String) throws(ProviderError) {
        guard !isClosed else { throw .closed }
        try write { writer throws(IndexError) in try writer.setSetting(Self.importKey, Array(path.utf8)) }
        startImport(of: path)
    }

    /// Continues the import that the last process did not complete.
    func resumeImport() throws(IndexError) {
        guard let bytes = try index.setting(Self.importKey) else { return }
        startImport(of: String(decoding: bytes, as: UTF8.self))
    }

    private func startImport(of path: String) {
        let work = DirectoryImport(engine: self, directory: path)
        Task { await work.run() }
    }

    /// Ends the import, and reports the end to the provider once it has the items.
    func directoryImportDidFinish() throws {
        guard !isClosed else { throw EngineClosedError() }
        try reimports.begin(ItemNumber.root, listing: [])
        try write { writer throws(IndexError) in try writer.setSetting(Self.importKey, nil) }
        lookAtImports()
    }

    /// Reports a file that stays in the directory.
    func noteFailedImport(of path: String, _ error: any Error) {
        let message = "\(path) was not imported and stays where it is: \(error)"
        context.recordBackgroundError(ProviderError(.cannotSynchronize, message: message))
    }

    // MARK: Items

    /// Returns the file with a name; `nil` if the name is free or taken by another kind of item.
    func file(named name: String, in parent: ItemNumber) throws -> IndexedItem? {
        guard let row = try index.item(named: name, in: parent), row.item.kind == .file else { return nil }
        return row
    }

    /// Makes a directory, or returns the one that has the name.
    func folderToImport(named name: String, in parent: ItemNumber, mode: UInt16) throws -> ItemNumber {
        guard !isClosed else { throw EngineClosedError() }
        if let row = try index.item(named: name, in: parent), row.item.kind == .folder { return row.number }
        let row = try makeFolder(named: try freeName(name, in: parent), in: parent, mode: mode)
        try noteMayExist(row)
        return row.number
    }

    /// Makes an empty file. If the name is taken, the file gets a numbered one.
    func fileToImport(named name: String, in parent: ItemNumber, mode: UInt16) throws -> ItemNumber {
        guard !isClosed else { throw EngineClosedError() }
        let row = try createFile(named: try freeName(name, in: parent), in: parent, mode: mode)
        try noteMayExist(row)
        return row.number
    }

    /// Makes a symbolic link.
    ///
    /// - Returns: `false` if the provider accepts none.
    func importLink(named name: String, in parent: ItemNumber, target: String) throws -> Bool {
        guard !isClosed else { throw EngineClosedError() }
        guard configuration.takesSymbolicLinks else { return false }
        if let row = try index.item(named: name, in: parent), row.item.linkTarget == target { return true }
        let row = try makeSymbolicLink(named: try freeName(name, in: parent), in: parent, target: target)
        try noteMayExist(row)
        return true
    }

    /// Removes a file whose import has failed.
    func removeImported(named name: String, _ number: ItemNumber, in parent: ItemNumber) throws {
        guard let row = try index.item(number), row.parent == parent else { return }
        try remove(row.name, in: parent)
    }

    /// Opens a file.
    nonisolated func opened(_ number: ItemNumber, for purpose: OpenPurpose) async throws -> OpenHandle {
        try await withCheckedThrowingContinuation { continuation in
            _ = open(number, for: purpose) { continuation.resume(with: $0.mapError { $0 as any Error }) }
        }
    }

    private func freeName(_ name: String, in parent: ItemNumber) throws -> String {
        guard try index.item(named: name, in: parent) != nil else { return name }
        return try components.recorder.freeName(in: parent) { MountName.numbered(name, $0 + 1) }
    }

    /// Records that the provider may have a new item already.
    private func noteMayExist(_ row: IndexedItem) throws {
        var entry = try components.recorder.entry(of: row)
        entry.mayAlreadyExist = true
        let changed = entry
        try components.recorder.record([.put(changed)], self) { (_: inout IndexWriter) throws(IndexError) in }
    }
}

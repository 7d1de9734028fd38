import Glibc
import ItemStore
import ItemValues
import LinuxSystem

/// Creates items locally.
extension LocalEdits {
    /// Creates an empty file, and schedules its upload after the file is closed.
    ///
    /// - Parameter mode: The permission bits. The provider receives only whether the file is executable.
    package func createFile(
        named name: String, in parent: ItemNumber, mode: UInt16, _ engine: isolated any EngineEvents
    ) throws(EditError) -> IndexedItem {
        try evictor.makingRoom(engine) { () throws(EditError) in
            try make(.file, named: name, in: parent, mode: mode, linkTarget: nil, engine)
        }
    }

    /// Creates a file with the given contents. After a crash, the file is complete or does not exist.
    ///
    /// - Parameter mode: The permission bits. The provider receives only whether the file is executable.
    func createFile(
        named name: String, in parent: ItemNumber, mode: UInt16, contents: StagedContents,
        _ engine: isolated any EngineEvents
    ) throws(EditError) -> IndexedItem {
        try evictor.makingRoom(engine) { () throws(EditError) in
            try make(.file, named: name, in: parent, mode: mode, linkTarget: nil, contents: contents, engine)
        }
    }

    package func makeFolder(
        named name: String, in parent: ItemNumber, mode: UInt16, _ engine: isolated any EngineEvents
    ) throws(EditError) -> IndexedItem {
        try evictor.makingRoom(engine) { () throws(EditError) in
            try make(.folder, named: name, in: parent, mode: mode, linkTarget: nil, engine)
        }
    }

    package func makeSymbolicLink(
        named name: String, in parent: ItemNumber, target: String, _ engine: isolated any EngineEvents
    ) throws(EditError) -> IndexedItem {
        guard configuration.takesSymbolicLinks else { throw EditError(.notPermitted) }
        guard !target.isEmpty else { throw EditError(.noSuchFile) }
        guard target.utf8.count < 4096 else { throw EditError(.nameTooLong) }
        return try evictor.makingRoom(engine) { () throws(EditError) in
            try make(.symbolicLink, named: name, in: parent, mode: nil, linkTarget: target, engine)
        }
    }

    private func make(
        _ kind: ProviderItem.Kind, named name: String, in parent: ItemNumber, mode: UInt16?, linkTarget: String?,
        contents: StagedContents? = nil, _ engine: isolated any EngineEvents
    ) throws(EditError) -> IndexedItem {
        try checkOpen()
        let folder = try visibleFolder(parent)
        guard name != ".", name != ".." else { throw EditError(.fileExists) }
        try Self.checkName(name)
        guard try visible(named: name, in: parent) == nil else { throw EditError(.fileExists) }
        guard folder.allows(IndexedItem.Capability.writing) else { throw EditError(.permissionDenied) }
        try checkPermitted(creating: name, in: folder)

        var item = ProviderItem(
            identifier: recorder.newLocalIdentifier(), parent: folder.item.identifier, filename: name, kind: kind)
        item.linkTarget = linkTarget
        item.flags = []
        let new = IndexedItem(
            number: index.nextNumber(), parent: parent, name: name, item: item,
            changes: kind == .file ? [.created, .contents] : .created, content: kind == .file ? .edited : .dataless,
            localSize: contents?.size ?? 0, localVersion: [], localModified: contents?.modified ?? dateNow, mode: mode,
            listing: kind == .folder ? .complete : .never, isPinned: false)
        let row: IndexedItem
        do throws(EditError) {
            if kind == .file {
                try makeEditFile(of: new.number, with: contents)
                EngineStep.newFileMade.reach()
            }
            // No other item has the name, so the index stores the row under this name.
            row = try recorder.record([.put(try recorder.freshEntry(of: new))], engine) { writer throws(IndexError) in
                try writer.insert(new, keepsNumber: true)
                try recorder.dateFolders([parent], &writer)
                return try writer.item(new.number) ?? new
            }
        } catch {
            recorder.removeBytes(of: new.number, engine)
            throw error
        }
        scheduler.schedule(row.number, after: kind == .file ? configuration.settlingTime : 0, engine)
        return row
    }

    private func makeEditFile(of number: ItemNumber, with contents: StagedContents?) throws(EditError) {
        do throws(Errno) {
            if let contents { return try contents.publish(as: number, in: folders) }
            _ = try folders.edits.open(
                ContentFolders.name(number), [.readWrite, .create, .truncate, .noFollow], permissions: 0o600)
        } catch {
            throw EditError(error)
        }
    }
}

import FileProviderWire
import Foundation
import Glibc
import ItemStore
import ItemValues
import LinuxSystem

/// Imports a directory of this machine into a domain: everything in the directory becomes new items.
///
/// A file is removed from the directory after the domain has stored it as an item, so an interrupted import continues
/// with the remaining files. An item that cannot be imported, such as a device or a file that cannot be read, stays in
/// the directory.
///
/// It calls ``Reimports``, ``Imports``, ``EditRecorder`` and ``LocalEdits``. Used only on the engine's thread (see
/// ``EngineContext``).
package final class DirectoryImport: EngineComponent {
    let context: EngineContext
    private let reimports: Reimports
    private let recorder: EditRecorder
    private let localEdits: LocalEdits
    private let imports: Imports

    private static let key = "import.directory"

    init(
        _ context: EngineContext, _ reimports: Reimports, _ recorder: EditRecorder, _ localEdits: LocalEdits,
        _ imports: Imports
    ) {
        self.context = context
        self.reimports = reimports
        self.recorder = recorder
        self.localEdits = localEdits
        self.imports = imports
    }

    /// Begins to import the files and directories in a directory of this machine as new items of the domain. Each is
    /// removed from the directory once it is imported.
    ///
    /// Returns when the start of the import is recorded, so that the import continues after a crash. The provider is
    /// notified when the import has ended.
    ///
    /// - Parameter path: The path of the directory.
    package func begin(at path: String, _ engine: isolated any EngineEvents) throws(ProviderError) {
        guard !isClosed else { throw .closed }
        try write { writer throws(IndexError) in try writer.setSetting(Self.key, Array(path.utf8)) }
        Task { await self.run(path, engine) }
    }

    /// Continues the import that the previous engine did not complete, if any.
    func recover(_ engine: isolated any EngineEvents) throws(IndexError) {
        guard let bytes = try index.setting(Self.key) else { return }
        let path = String(decoding: bytes, as: UTF8.self)
        Task { await self.run(path, engine) }
    }

    /// Imports everything in the given directory into the root. Returns when nothing more can be imported.
    private func run(_ directory: String, _ engine: isolated any EngineEvents) async {
        do {
            // A directory that is missing was imported completely.
            if try await importItems(in: directory, into: .root, engine) { await Self.removeFolder(directory) }
            guard !isClosed else { throw EngineClosedError() }
            // Record an import of the root that has no directories to list. ``Imports`` reports its end to the provider
            // after the items were uploaded.
            try reimports.begin(.root, listing: [])
            try write { writer throws(IndexError) in try writer.setSetting(Self.key, nil) }
            imports.checkForEnd(engine)
        } catch {
            // The engine was closed. The next one continues the import.
        }
    }

    /// Imports everything in the given directory of this machine.
    ///
    /// - Parameter parent: The directory of the domain that gets the new items.
    /// - Returns: Whether the given directory is empty now.
    /// - Throws: An error if the engine was closed.
    private func importItems(
        in folder: String, into parent: ItemNumber, _ engine: isolated any EngineEvents
    ) async throws -> Bool {
        let names: [String]
        do {
            names = try await HandlerThreads.shared.value { () throws in
                try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            }
        } catch {
            if await Self.isGone(folder) { return true }
            noteFailure(folder, error)
            return false
        }
        var isEmpty = true
        for name in names {
            guard !isClosed else { throw EngineClosedError() }
            do {
                let isTaken = try await importItem(folder + "/" + name, named: name, into: parent, engine)
                isEmpty = isEmpty && isTaken
            } catch let error as EngineClosedError {
                throw error
            } catch {
                // The item may be gone: another program has removed it, or the previous engine has removed it after it
                // had imported it.
                if await Self.isGone(folder + "/" + name) { continue }
                isEmpty = false
                noteFailure(folder + "/" + name, error)
            }
        }
        return isEmpty
    }

    private func importItem(
        _ path: String, named name: String, into parent: ItemNumber, _ engine: isolated any EngineEvents
    ) async throws -> Bool {
        let status = try await HandlerThreads.shared.value { () throws(Errno) in
            try FileStatus.of(path, followingLinks: false)
        }
        switch status.kind {
        case .directory:
            let number = try folder(named: name, in: parent, mode: UInt16(status.permissions), engine)
            guard try await importItems(in: path, into: number, engine) else { return false }
            await Self.removeFolder(path)
        case .regular:
            try await importFile(path, named: name, status, into: parent, engine)
        case .symbolicLink:
            let target = try await HandlerThreads.shared.value { () throws in
                try FileManager.default.destinationOfSymbolicLink(atPath: path)
            }
            guard try makeLink(named: name, in: parent, target: target, engine) else { return false }
            try await Self.removeFile(path)
        case .fifo, .socket, .characterDevice, .blockDevice, .unknown: return false
        }
        return true
    }

    private func importFile(
        _ path: String, named name: String, _ status: FileStatus, into parent: ItemNumber,
        _ engine: isolated any EngineEvents
    ) async throws {
        let source = try await HandlerThreads.shared.value { () throws(Errno) in
            try FileDescriptor.open(path, [.readOnly, .noFollow])
        }
        if let same = try file(named: name, in: parent), Self.size(of: same) == Int64(status.size) {
            // The domain may have the file already: an earlier attempt was interrupted, or the file is a copy.
            let opened = try await Self.open(same.number, for: .reading, engine)
            defer { opened.close() }
            let contents = try await opened.descriptorWhenReady()
            let isSame = try await HandlerThreads.shared.value { () throws(Errno) in
                try ContentComparison.areEqual(source, contents)
            }
            if isSame { return try await Self.removeFile(path) }
        }
        let folders = folders
        let modified = FileTime(status.modified).microsecondPrecise
        let contents = try await HandlerThreads.shared.value { () throws in
            try StagedContents(copying: source, named: name, modified: modified, in: folders)
        }
        try makeFile(named: name, in: parent, mode: UInt16(status.permissions), contents, engine)
        try await Self.removeFile(path)
    }

    /// Returns the size of a file in bytes: the size of the local contents if these were not sent yet, otherwise the
    /// size that the provider reports. Returns `nil` if the provider reports no size.
    private static func size(of row: IndexedItem) -> Int64? {
        row.changes.contains(.contents) ? row.localSize : row.item.size
    }

    /// Whether this machine has no item at the given path.
    private static func isGone(_ path: String) async -> Bool {
        await HandlerThreads.shared.value { () -> Bool in
            do throws(Errno) {
                _ = try FileStatus.of(path, followingLinks: false)
                return false
            } catch {
                return error == .noSuchFile
            }
        }
    }

    private static func removeFile(_ path: String) async throws {
        try await HandlerThreads.shared.value { () throws(Errno) -> Void in try retrying { unlink(path) } }
    }

    /// Removes a directory of this machine if it is empty. It is not empty if another program has created a file in it
    /// meanwhile.
    private static func removeFolder(_ path: String) async { _ = await HandlerThreads.shared.value { rmdir(path) } }

    /// Reports that a file could not be imported and stays in the directory.
    private func noteFailure(_ path: String, _ error: any Error) {
        let message = "\(path) was not imported and stays where it is: \(error)"
        context.recordBackgroundError(ProviderError(.cannotSynchronize, message: message))
    }

    // MARK: Items

    /// Returns the file with the given name and parent. Returns `nil` if there is no item with this name, or if it is
    /// not a file.
    private func file(named name: String, in parent: ItemNumber) throws -> IndexedItem? {
        guard let row = try index.item(named: name, in: parent), row.item.kind == .file else { return nil }
        return row
    }

    /// Returns the number of the directory with the given name and parent. Creates the directory if it does not exist.
    private func folder(
        named name: String, in parent: ItemNumber, mode: UInt16, _ engine: isolated any EngineEvents
    ) throws -> ItemNumber {
        guard !isClosed else { throw EngineClosedError() }
        if let row = try index.item(named: name, in: parent), row.item.kind == .folder { return row.number }
        let row = try localEdits.makeFolder(named: try freeName(name, in: parent), in: parent, mode: mode, engine)
        try noteMayExist(row, engine)
        return row.number
    }

    /// Creates a file. If another item has the given name, a number is appended to the file's name.
    private func makeFile(
        named name: String, in parent: ItemNumber, mode: UInt16, _ contents: StagedContents,
        _ engine: isolated any EngineEvents
    ) throws {
        guard !isClosed else { throw EngineClosedError() }
        let row = try localEdits.createFile(
            named: try freeName(name, in: parent), in: parent, mode: mode, contents: contents, engine)
        try noteMayExist(row, engine)
    }

    /// Creates a symbolic link, unless the same link exists.
    ///
    /// - Returns: `false` if the provider does not accept symbolic links.
    private func makeLink(
        named name: String, in parent: ItemNumber, target: String, _ engine: isolated any EngineEvents
    ) throws -> Bool {
        guard !isClosed else { throw EngineClosedError() }
        guard configuration.takesSymbolicLinks else { return false }
        if let row = try index.item(named: name, in: parent), row.item.linkTarget?.hasSameBytes(as: target) == true {
            return true
        }
        let row = try localEdits.makeSymbolicLink(
            named: try freeName(name, in: parent), in: parent, target: target, engine)
        try noteMayExist(row, engine)
        return true
    }

    /// Opens a file, and suspends until it is open.
    private static func open(
        _ number: ItemNumber, for purpose: OpenPurpose, _ engine: any EngineEvents
    ) async throws -> OpenHandle {
        try await withCheckedThrowingContinuation { continuation in
            let opening = PendingOpen(purpose) { continuation.resume(with: $0.mapError { $0 as any Error }) }
            engine.perform { $0.opener.open(number, opening, $0) }
        }
    }

    private func freeName(_ name: String, in parent: ItemNumber) throws -> String {
        guard try index.item(named: name, in: parent) != nil else { return name }
        return try recorder.freeName(in: parent) { MountName.numbered(name, $0 + 1) }
    }

    /// Records that the provider may already have an item that was created locally by the import.
    private func noteMayExist(_ row: IndexedItem, _ engine: isolated any EngineEvents) throws {
        var entry = try recorder.entry(of: row)
        entry.mayAlreadyExist = true
        let changed = entry
        try recorder.record([.put(changed)], engine) { (_: inout IndexWriter) throws(IndexError) in }
    }
}

extension OpenHandle {
    fileprivate func descriptorWhenReady() async throws -> FileDescriptor {
        try await withCheckedThrowingContinuation { continuation in
            _ = ready { continuation.resume(with: $0.mapError { $0 as any Error }) }
        }
    }
}

import FileProviderWire
import Foundation
import Glibc
import ItemStore
import ItemValues
import LinuxSystem

/// The import of a directory of this machine into a domain: everything in it becomes new items.
///
/// A file is removed from the directory once it is an item on disk, so an import that was interrupted goes on with the
/// rest. What cannot be imported, such as a device or a file that cannot be read, stays in the directory.
struct DirectoryImport: Sendable {
    let engine: DomainEngine
    /// The path of the directory.
    let directory: String

    /// Imports everything. Returns when nothing more can be imported.
    func run() async {
        do {
            // A directory that is missing was imported completely.
            if try await importItems(in: directory, into: .root) { await removeFolder(directory) }
            try await engine.directoryImportDidFinish()
        } catch {
            // The engine was closed. The next one goes on.
        }
    }

    /// Imports the items of a directory.
    ///
    /// - Returns: whether nothing is left in it.
    /// - Throws: an error if the engine was closed.
    private func importItems(in folder: String, into parent: ItemNumber) async throws -> Bool {
        let names = await HandlerThreads.shared.value { () -> [String] in
            ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
        }
        var isEmpty = true
        for name in names {
            guard await !engine.isClosed else { throw EngineClosedError() }
            do {
                let isTaken = try await importItem(folder + "/" + name, named: name, into: parent)
                isEmpty = isEmpty && isTaken
            } catch let error as EngineClosedError {
                throw error
            } catch {
                isEmpty = false
                await engine.noteFailedImport(of: folder + "/" + name, error)
            }
        }
        return isEmpty
    }

    private func importItem(_ path: String, named name: String, into parent: ItemNumber) async throws -> Bool {
        let status = try await HandlerThreads.shared.value { () throws(Errno) in
            try FileStatus.of(path, followingLinks: false)
        }
        switch status.kind {
        case .directory:
            let number = try await engine.folderToImport(named: name, in: parent, mode: UInt16(status.permissions))
            guard try await importItems(in: path, into: number) else { return false }
            await removeFolder(path)
        case .regular:
            try await importFile(path, named: name, status, into: parent)
        case .symbolicLink:
            let target = try await HandlerThreads.shared.value { () throws in
                try FileManager.default.destinationOfSymbolicLink(atPath: path)
            }
            guard try await engine.importLink(named: name, in: parent, target: target) else { return false }
            try await removeFile(path)
        case .fifo, .socket, .characterDevice, .blockDevice, .unknown: return false
        }
        return true
    }

    private func importFile(
        _ path: String, named name: String, _ status: FileStatus, into parent: ItemNumber
    ) async throws {
        let source = try await HandlerThreads.shared.value { () throws(Errno) in
            try FileDescriptor.open(path, [.readOnly, .noFollow])
        }
        if let same = try await engine.file(named: name, in: parent), same.item.size == Int64(status.size) {
            // The domain may have the file already: an earlier attempt was interrupted, or it is a copy.
            let opened = try await engine.opened(same.number, for: .reading)
            defer { opened.close() }
            let contents = try await opened.descriptorWhenReady()
            let isSame = try await HandlerThreads.shared.value { () throws(Errno) in
                try ContentComparison.areEqual(source, contents)
            }
            if isSame { return try await removeFile(path) }
        }
        let number = try await engine.fileToImport(named: name, in: parent, mode: UInt16(status.permissions))
        let opened = try await engine.opened(number, for: .writing(truncating: true))
        do {
            let target = try await opened.descriptorWhenReady()
            try await HandlerThreads.shared.value { () throws in
                try FileCopier.copyContents(of: source, to: target, named: name)
            }
            try await opened.onDisk()
        } catch {
            opened.close()
            // The name becomes free for the next attempt.
            try? await engine.removeImported(named: name, number, in: parent)
            throw error
        }
        let modified = FileTime(status.modified).microsecondPrecise
        _ = try await engine.setAttributes(of: number, mode: nil, modified: modified)
        opened.close()
        try await removeFile(path)
    }

    private func removeFile(_ path: String) async throws {
        try await HandlerThreads.shared.value { () throws(Errno) -> Void in try retrying { unlink(path) } }
    }

    /// Removes an empty directory. One in which another program has made a file stays.
    private func removeFolder(_ path: String) async { _ = await HandlerThreads.shared.value { rmdir(path) } }
}

extension OpenHandle {
    fileprivate func descriptorWhenReady() async throws -> FileDescriptor {
        try await withCheckedThrowingContinuation { continuation in
            _ = ready { continuation.resume(with: $0.mapError { $0 as any Error }) }
        }
    }

    /// Makes the contents durable.
    fileprivate func onDisk() async throws {
        try await withCheckedThrowingContinuation { continuation in
            synchronize { continuation.resume(with: $0.mapError { $0 as any Error }) }
        }
    }
}

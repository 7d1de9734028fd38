import Foundation
import ItemProvider
import LinuxSystem
import Synchronization

/// A directory of the caller's, held open, in which an exported file gets a name of its own.
struct ExportDestination: Sendable {
    private let url: URL
    private let folder: FileDescriptor

    /// Blocks until the directory is open.
    init(_ url: URL) throws {
        self.url = url
        do {
            folder = try .open(url.path, [.readOnly, .directory])
        } catch {
            throw CocoaError(error, path: url.path)
        }
    }

    /// Copies a file or a tree, whole or not at all; a cancelled task has it end with nothing left.
    func place(_ file: URL) async throws -> URL {
        let isCancelled = Flag()
        return try await withTaskCancellationHandler {
            try await HandlerThreads.shared.value { try place(file, isCancelled: { isCancelled.isRaised }) }
        } onCancel: {
            isCancelled.raise()
        }
    }

    private func place(_ file: URL, isCancelled: () -> Bool) throws -> URL {
        let source = try FileDescriptor.open(file.path, [.readOnly])
        let isDirectory = try source.status().kind == .directory
        let name = file.path.lastPathName
        var candidate = name
        var number = 2
        while try !copy(source, isDirectory: isDirectory, named: candidate, isCancelled: isCancelled) {
            candidate = ItemName.numbered(name, number)
            number += 1
        }
        return url.appendingPathComponent(candidate, isDirectory: isDirectory)
    }

    /// - Returns: `false` when the name is taken.
    private func copy(
        _ source: FileDescriptor, isDirectory: Bool, named name: String, isCancelled: () -> Bool
    ) throws -> Bool {
        // Asked first: a copy whose name turns out to be taken was made for nothing.
        if (try? folder.status(of: name)) != nil { return false }
        do throws(CopyError) {
            if isDirectory {
                try TreeCopier.copy(source, into: folder, named: name, progress: { _, _ in }, isCancelled: isCancelled)
            } else {
                try FileCopier.copy(source, into: folder, named: name, progress: { _, _ in }, isCancelled: isCancelled)
            }
            return true
        } catch {
            switch error {
            case .alreadyExists: return false
            case .cancelled: throw ItemProviderError.cancelled()
            default: throw error
            }
        }
    }

    /// Raised once, from any thread.
    private final class Flag: Sendable {
        private let raised = Atomic(false)

        var isRaised: Bool { raised.load(ordering: .relaxed) }

        func raise() { raised.store(true, ordering: .relaxed) }
    }
}

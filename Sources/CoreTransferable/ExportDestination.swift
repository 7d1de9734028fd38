import Foundation
import ItemProvider
import LinuxSystem
import Synchronization

/// The caller's directory to which an exported file is copied. The directory is open as long as this value exists.
struct ExportDestination: Sendable {
    private let url: URL
    private let folder: FileDescriptor

    /// Opens the directory. Blocks.
    init(_ url: URL) throws {
        self.url = url
        do {
            folder = try .open(url.path, [.readOnly, .directory])
        } catch {
            throw CocoaError(error, path: url.path)
        }
    }

    /// Copies a file or a tree, whole or not at all. If the task is cancelled, nothing is left behind.
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

    /// Copies a file or directory under the given name.
    ///
    /// - Returns: `false` if the destination already has an item with this name.
    private func copy(
        _ source: FileDescriptor, isDirectory: Bool, named name: String, isCancelled: () -> Bool
    ) throws -> Bool {
        // The name is checked first, to avoid a copy under a name that is taken.
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

    /// A flag that is raised once, from any thread.
    private final class Flag: Sendable {
        private let raised = Atomic(false)

        var isRaised: Bool { raised.load(ordering: .relaxed) }

        func raise() { raised.store(true, ordering: .relaxed) }
    }
}

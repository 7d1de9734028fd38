import FileCoordination
import Foundation
import LinuxSystem

/// A reader of files that require file coordination. These are files for which the provider requests coordination, and
/// files offered in place, which the provider continues to use. A read waits until no process writes the file, and
/// makes presenters save their changes first.
final class CoordinatedReading: @unchecked Sendable {
    // Sendable: the coordinator is never changed, and its class allows cancellation from any thread.
    private let coordinator = NSFileCoordinator(filePresenter: nil)

    /// Cancels a read that waits until its claim is granted.
    func cancel() { coordinator.cancel() }

    /// Runs a function while no process writes a file. If the file needs no coordination, the function runs at once.
    ///
    /// A presenter often saves a new file under the same name, so the function gets the file that is at the path after
    /// the presenter has saved. This path is used only if it led to the offered file before. This process opens the
    /// path with its own permissions.
    func read<Result>(_ file: SuppliedFile, _ body: (SuppliedFile) throws -> Result) throws -> Result {
        guard file.needsCoordination, let path = file.path else { return try body(file) }
        let isReachable = file.isReachable
        var outcome: Swift.Result<Result, any Error>?
        var failure: NSError?
        // If the path is a symbolic link, its target is the supplied file, and also the file that other processes
        // write.
        let (url, options) = (URL(fileURLWithPath: path), NSFileCoordinator.ReadingOptions.resolvesSymbolicLink)
        let read = { (url: URL) in
            outcome = Swift.Result { try body(isReachable ? file.reopened(at: url.path) : file) }
        }
        if FolderPlacement.isNeeded {
            coordinator.coordinate(
                reading: file.descriptor, at: url, options: options, error: &failure, byAccessor: read)
        } else {
            coordinator.coordinate(readingItemAt: url, options: options, error: &failure, byAccessor: read)
        }
        if let outcome { return try outcome.get() }
        if failure?.domain == NSCocoaErrorDomain, failure?.code == CocoaError.userCancelled.rawValue {
            throw ItemProviderError.cancelled()
        }
        throw failure ?? ItemProviderError.cancelled() as NSError
    }
}

extension SuppliedFile {
    /// Whether the file is read through file coordination.
    var needsCoordination: Bool { (isCoordinated || isOfferedInPlace) && path != nil }

    /// Returns the file that is at the path now, if it has the same kind; otherwise the original file.
    fileprivate func reopened(at path: String) -> SuppliedFile {
        // The file at the path is nearly always the same file. In this case it is not opened again, because hundreds of
        // files that are loaded at once would need a second descriptor each.
        if let there = try? FileStatus.of(path, followingLinks: true), let own = try? descriptor.status(),
            there.identity == own.identity
        {
            return self
        }
        guard let descriptor = try? FileDescriptor.open(path, [.readOnly, .nonBlocking]),
            let status = try? descriptor.status(), status.kind == (isDirectory ? .directory : .regular)
        else { return self }
        return SuppliedFile(
            descriptor: descriptor, isDirectory: isDirectory, path: path, name: name,
            isOfferedInPlace: isOfferedInPlace, isCoordinated: isCoordinated, lease: lease, folder: folder,
            origin: origin)
    }
}

import FileCoordination
import Foundation
import LinuxSystem

/// Reads files that a provider asks to be read through file coordination: those it says so of, and those it offers in place,
/// which it goes on using itself. Whoever writes them is waited for, and whoever presents them saves first, in whatever
/// process that is.
final class CoordinatedReading: @unchecked Sendable {
    // Sendable: the coordinator is never changed, and its class has it cancelled from any thread.
    private let coordinator = NSFileCoordinator(filePresenter: nil)

    /// Makes reading fail that waits for its turn.
    func cancel() { coordinator.cancel() }

    /// Runs a function while nobody writes a file: at once for one that needs no coordination.
    ///
    /// What presenters save often is another file under the same name, so the function gets what is there by then. The path
    /// counts only if it led to the very file that was handed over, and this process opens it with its own rights.
    func read<Result>(_ file: SuppliedFile, _ body: (SuppliedFile) throws -> Result) throws -> Result {
        guard file.needsCoordination, let path = file.path else { return try body(file) }
        let isReachable = file.isReachable
        var outcome: Swift.Result<Result, any Error>?
        var failure: NSError?
        // What a link leads to was handed over, and is what others write.
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
    /// Whether whoever reads it does so through file coordination.
    var needsCoordination: Bool { (isCoordinated || isOfferedInPlace) && path != nil }

    /// What is at the file's place now, if that is of the same kind; else the file itself.
    fileprivate func reopened(at path: String) -> SuppliedFile {
        // Nearly always the same: hundreds of files that are loaded at once need no second descriptor each.
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
            isOfferedInPlace: isOfferedInPlace, isCoordinated: isCoordinated, lease: lease, folder: folder)
    }
}

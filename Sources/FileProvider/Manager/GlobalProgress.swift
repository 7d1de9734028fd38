import Dispatch
import DomainMessages
import Foundation
import LinuxSystem
import Synchronization

/// An updater that writes the daemon's totals of transfers to a `Progress`, as long as the program retains the
/// `Progress`.
///
/// The `Progress` is changed on the main queue only, because it must not be used by two threads at once.
final class GlobalProgress: Sendable {
    private struct Shown {
        weak var progress: Progress?
    }
    // Leaf lock.
    private let shown: Mutex<Shown>
    private let backend: any ManagerBackend
    private let isUpload: Bool
    private let domain: NSFileProviderDomainIdentifier?

    /// The seconds between two updates: `busy` while there are transfers, `idle` otherwise.
    private static let pauses = (busy: 0.2, idle: 1.0)

    private init(
        _ progress: Progress, isUpload: Bool, of domain: NSFileProviderDomainIdentifier?,
        _ backend: any ManagerBackend
    ) {
        shown = Mutex(Shown(progress: progress))
        self.isUpload = isUpload
        self.domain = domain
        self.backend = backend
    }

    /// Creates a progress, and updates it as long as the program retains it.
    ///
    /// - Returns: a progress, which counts as finished until the daemon reports a transfer.
    static func make(
        for kind: Progress.FileOperationKind, of domain: NSFileProviderDomainIdentifier?,
        _ backend: any ManagerBackend
    ) -> Progress {
        let progress = Progress(totalUnitCount: 1)
        progress.kind = .file
        progress.setUserInfoObject(kind, forKey: .fileOperationKindKey)
        progress.isCancellable = false
        show(TransferTotals(), in: progress)
        guard kind == .uploading || kind == .downloading else { return progress }
        GlobalProgress(progress, isUpload: kind == .uploading, of: domain, backend).look()
        return progress
    }

    private var isWanted: Bool { shown.withLock { $0.progress != nil } }

    private func look() {
        backend.transfers(isUpload: isUpload, in: domain) { [self] result in
            // The updates end if there is no daemon, or if the program has no provider, because no transfers can begin
            // then.
            if case .failure(let failure as NSFileProviderError) = result, failure.code == .providerNotFound { return }
            let count = (try? result.get()) ?? TransferTotals()
            DispatchQueue.main.async { [self] in
                if let progress = shown.withLock({ $0.progress }) { Self.show(count, in: progress) }
            }
            let pause = count.files > 0 ? Self.pauses.busy : Self.pauses.idle
            Deadlines.shared.run(after: .seconds(pause)) { [self] in if isWanted { look() } }
        }
    }

    private static func show(_ count: TransferTotals, in progress: Progress) {
        progress.setUserInfoObject(Int(count.files), forKey: .fileTotalCountKey)
        progress.setUserInfoObject(Int(count.filesDone), forKey: .fileCompletedCountKey)
        // Without transfers, the progress is finished: one of one unit is completed.
        progress.totalUnitCount = count.files > 0 ? max(1, count.bytes) : 1
        progress.completedUnitCount = count.files > 0 ? min(count.bytesDone, max(1, count.bytes)) : 1
    }
}

extension Progress.FileOperationKind {
    /// The upload of files. Foundation on Linux defines only the other kinds.
    public static let uploading = Self(rawValue: "NSProgressFileOperationKindUploading")
}

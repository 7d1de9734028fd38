import CloudMount
import Exchange
import FileProviderEngine
import LinuxSystem

/// Mounts and unmounts domains, on a thread that may block on the kernel and on the keeper.
extension DomainService {
    /// Returns the standard mount point of a domain.
    func mountPath(of name: String) -> String { folders.locations.mounts + "/" + name }

    /// Mounts a domain, and passes the mount to the keeper.
    ///
    /// - Parameter handover: The domain's mount that outlived the previous daemon.
    func mount(
        _ record: DomainRecord, _ domain: RunningDomain, resuming handover: MountHandover? = nil
    ) async throws {
        guard let mounts else { return }
        if isEnding { throw DomainError("the daemon is ending; try again") }
        mountsUnderWay += 1
        defer {
            mountsUnderWay -= 1
            if mountsUnderWay == 0 {
                for waiter in mountWaiters { waiter.resume() }
                mountWaiters = []
            }
        }
        let path = mountPath(of: record.name)
        defer { states.noteDomain(record.identifier) }
        do {
            try await HandlerThreads.shared.value { [folders, keeper] () throws in
                defer {
                    if let handover = mounts.handover(of: record.identifier) {
                        keeper?.hold(handover.kept)
                    } else {
                        keeper?.drop(record.identifier)
                    }
                }
                try PrivateFolder.make(folders.locations.mounts)
                try mounts.mount(domain.engine, at: path, resuming: handover)
            }
        } catch {
            log.error("the domain \(record.name) cannot be mounted: \(error)")
            throw DomainError("it cannot be mounted: \(error)")
        }
    }

    /// Waits until no domain is being mounted.
    func mountsSettled() async {
        while mountsUnderWay > 0 {
            await withCheckedContinuation { continuation in
                // The number is checked again, because other calls may have run on the actor meanwhile.
                if mountsUnderWay == 0 { continuation.resume() } else { mountWaiters.append(continuation) }
            }
        }
    }

    func unmount(_ record: DomainRecord) async {
        guard let mounts else { return }
        await HandlerThreads.shared.value { [keeper] in
            mounts.unmount(record.identifier)
            keeper?.drop(record.identifier)
        }
    }
}

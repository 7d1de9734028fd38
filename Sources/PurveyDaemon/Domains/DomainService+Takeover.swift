import CloudMount
import Exchange
import Glibc
import LinuxSystem
import MountTakeover

/// Takes over the mounts of a dead daemon.
extension DomainService {
    /// Claims the mounts that outlived the previous daemon, and returns them by the names of their domains. A mount
    /// whose domain does not exist is ended.
    func takeOver(_ records: [DomainRecord]) async -> [String: MountHandover] {
        guard mounts != nil, let keeper else { return [:] }
        // The mount points, with symbolic links resolved as in the kernel's mount table. Only the directory above them
        // is resolved, because an access to a dead mount would block.
        let folder = folders.locations.mounts
        let real = realpath(folder, nil).map { path in
            defer { free(path) }
            return String(cString: path)
        }
        let paths = Dictionary(records.map { ($0.identifier, (real ?? folder) + "/" + $0.name) }) { first, _ in first }
        let found = await HandlerThreads.shared.value { [log] in
            var found: [String: MountHandover] = [:]
            for kept in keeper.claimMounts() {
                if let handover = MountHandover(kept), paths[kept.identifier] == handover.path, handover.isAlive {
                    found[kept.identifier] = handover
                    log.info("took over the mount at \(handover.path)")
                } else {
                    MountHandover.abandon(kept)
                    keeper.drop(kept.identifier)
                }
            }
            return found
        }
        return Dictionary(
            records.compactMap { record in found[record.identifier].map { (record.name, $0) } }
        ) { first, _ in first }
    }

    /// Unmounts the mounts that a dead daemon left, except for domains that are mounted now or will be soon.
    func removeStaleMounts(except records: [DomainRecord]) async {
        let kept = Set(records.map { mountPath(of: $0.name) })
        await HandlerThreads.shared.value { [folders] in
            _ = Mounts.removeStale(in: folders.locations.mounts, except: kept)
        }
    }
}

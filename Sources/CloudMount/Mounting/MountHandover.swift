import FileProviderEngine
import Fuse
import Glibc
import ItemStore
import LinuxSystem
package import MountTakeover

/// The state of a domain's mount that one daemon passes to the next: the FUSE session and the open handles.
package struct MountHandover: Sendable {
    /// The domain's identifier.
    package let identifier: String
    let session: SessionHandover
    let sharedTable: SharedHandleTable
    /// Whether the directory was created for the mount.
    let madeFolder: Bool

    init(identifier: String, session: SessionHandover, sharedTable: SharedHandleTable, madeFolder: Bool) {
        self.identifier = identifier
        self.session = session
        self.sharedTable = sharedTable
        self.madeFolder = madeFolder
    }

    /// The path of the mount point.
    package var path: String { session.path }

    /// Whether the mount can be taken over.
    package var isAlive: Bool { session.isAlive }

    /// The open handles, for the engine that takes over.
    package var openings: [HandleToResume] { sharedTable.handlesToResume }

    /// The mount, in the form in which the keeper (`purvey-keeper` or the service manager) stores it.
    package var kept: KeptMount {
        KeptMount(
            identifier: identifier, record: [madeFolder ? 1 : 0] + session.record,
            descriptors: [sharedTable.file] + session.devices)
    }

    /// Creates a handover from the data that a keeper stores; `nil` if the data has the format of another version.
    package init?(_ kept: KeptMount) {
        guard let made = kept.record.first, let file = kept.descriptors.first,
            let session = SessionHandover(
                record: Array(kept.record.dropFirst()), devices: Array(kept.descriptors.dropFirst())),
            let sharedTable = try? SharedHandleTable(takingOver: file)
        else { return nil }
        self.init(identifier: kept.identifier, session: session, sharedTable: sharedTable, madeFolder: made == 1)
    }

    /// Ends the mount instead of resuming it. Accesses to open files fail from then on.
    ///
    /// - Parameter engine: An engine that was created with the mount's handles.
    package func abandon(_ engine: DomainEngine? = nil) {
        let wasMounted = session.abandon()
        for (_, item) in engine?.takeResumed() ?? [:] { item.close() }
        if wasMounted, madeFolder { rmdir(path) }
    }

    /// Ends a mount that a keeper stores, regardless of the version of the daemon that created it.
    package static func abandon(_ kept: KeptMount) {
        let session = SessionHandover(
            record: Array(kept.record.dropFirst()), devices: Array(kept.descriptors.dropFirst()))
        if let session, session.abandon(), kept.record.first == 1 { rmdir(session.path) }
    }
}

extension SharedHandleTable {
    /// The recorded handles, for the engine that takes over.
    package var handlesToResume: [HandleToResume] {
        entries.map { opening in
            HandleToResume(
                handle: opening.handle, number: ItemNumber(rawValue: opening.item),
                isForWriting: opening.flags.contains(.writing), file: opening.file == 0 ? nil : opening.file)
        }
    }
}

import FileProviderEngine
import Fuse
import Glibc
package import Keeping
import LinuxSystem

/// A domain's mount, as one daemon leaves it to the next: the session with the kernel, and what programs have open.
package struct MountHandover: Sendable {
    /// The domain's.
    package let identifier: String
    let session: SessionHandover
    let ledger: OpeningLedger
    /// Whether the folder was made for it.
    let madeFolder: Bool

    init(identifier: String, session: SessionHandover, ledger: OpeningLedger, madeFolder: Bool) {
        self.identifier = identifier
        self.session = session
        self.ledger = ledger
        self.madeFolder = madeFolder
    }

    /// Where it is mounted.
    package var path: String { session.path }

    /// Whether it can be gone on with.
    package var isAlive: Bool { session.isAlive }

    /// What programs have open, for the engine that goes on with it.
    package var openings: [OpeningToResume] { ledger.openingsToResume }

    /// The mount as its keeper has it.
    package var kept: KeptMount {
        KeptMount(
            identifier: identifier, record: [madeFolder ? 1 : 0] + session.record,
            descriptors: [ledger.file] + session.devices)
    }

    /// What a keeper has of a mount; `nil` where it is none of this version's.
    package init?(_ kept: KeptMount) {
        guard let made = kept.record.first, let file = kept.descriptors.first,
            let session = SessionHandover(
                record: Array(kept.record.dropFirst()), devices: Array(kept.descriptors.dropFirst())),
            let ledger = try? OpeningLedger(takingOver: file)
        else { return nil }
        self.init(identifier: kept.identifier, session: session, ledger: ledger, madeFolder: made == 1)
    }

    /// Ends the mount instead of going on with it: what programs have open fails from now on.
    ///
    /// - Parameter engine: one that was made with its openings.
    package func abandon(_ engine: DomainEngine? = nil) {
        let wasMounted = session.abandon()
        for (_, item) in engine?.takeResumed() ?? [:] { item.close() }
        if wasMounted, madeFolder { rmdir(path) }
    }

    /// Ends a mount that a keeper has, whoever made it.
    package static func abandon(_ kept: KeptMount) {
        let session = SessionHandover(
            record: Array(kept.record.dropFirst()), devices: Array(kept.descriptors.dropFirst()))
        if let session, session.abandon(), kept.record.first == 1 { rmdir(session.path) }
    }
}

extension OpeningLedger {
    /// What is written down, for the engine that goes on with it.
    package var openingsToResume: [OpeningToResume] {
        openings.map { opening in
            OpeningToResume(
                handle: opening.handle, number: ItemNumber(rawValue: opening.item),
                isForWriting: opening.flags.contains(.writing), file: opening.file == 0 ? nil : opening.file)
        }
    }
}

import Foundation
import Glibc
import LinuxSystem

/// An item as a call of a coordinator names it.
struct ClaimedItem: Sendable {
    enum Use: Sendable {
        case reading(NSFileCoordinator.ReadingOptions)
        case writing(NSFileCoordinator.WritingOptions)
        /// Its bytes are given up.
        case evicting
    }

    let url: URL
    let use: Use
    /// The file itself, where the process has it from another one and may not open it by its path.
    var handed: FileDescriptor?

    static func reading(_ url: URL, _ options: NSFileCoordinator.ReadingOptions) -> ClaimedItem {
        ClaimedItem(url: url, use: .reading(options))
    }

    static func writing(_ url: URL, _ options: NSFileCoordinator.WritingOptions) -> ClaimedItem {
        ClaimedItem(url: url, use: .writing(options))
    }

    var resolvesLink: Bool {
        if case .reading(let options) = use { return options.contains(.resolvesSymbolicLink) }
        return false
    }

    /// Whether a link stands for what it leads to. Of a link that is to be uploaded, that is what is copied, though under the
    /// link's name.
    private var followsLink: Bool { resolvesLink || isForUploading }

    var isForUploading: Bool {
        if case .reading(let options) = use { return options.contains(.forUploading) }
        return false
    }

    /// Where the item is now.
    func locate() throws -> ItemPath { try ItemPath(url, followingLink: followsLink) }

    func access(at place: ItemPath) -> Access { Access(path: place.path, key: place.key, traits: traits) }

    private var traits: Access.Traits {
        switch use {
        case .reading(let options):
            if options.contains(.immediatelyAvailableMetadataOnly) { return .isQuiet }
            return options.contains(.withoutChanges) ? [] : .saves
        case .evicting: return [.writes, .evicts]
        case .writing(let options):
            // One who does more than that needs what that one needs.
            if options == .contentIndependentMetadataOnly { return [.writes, .isQuiet] }
            var traits: Access.Traits = .writes
            if options.contains(.forDeleting) { traits.insert(.deletes) }
            if options.contains(.forMoving) { traits.insert(.moves) }
            if options.contains(.forMerging) { traits.insert(.saves) }
            if options.contains(.forReplacing) { traits.insert(.replaces) }
            return traits
        }
    }
}

/// What an item was before it was written, so that what became of it can be told.
struct ItemWatch {
    private let access: Access
    private let number: Int
    private let before: FileStatus?
    /// Leads to the item wherever it is moved, and whether it is still there.
    private let handle: FileDescriptor?

    /// `nil` for an item that is only read.
    init?(_ access: Access, number: Int) {
        guard access.writes else { return nil }
        self.access = access
        self.number = number
        before = try? FileStatus.of(access.path.string, followingLinks: false)
        handle =
            access.traits.isDisjoint(with: [.moves, .deletes])
            ? nil : try? FileDescriptor.open(access.path.string, [.pathOnly, .noFollow])
    }

    /// - Parameter announced: the paths of items whose move was told already.
    func outcome(announced: Set<ExactPath>) -> ClaimOutcome {
        let outcome = ClaimOutcome(access: number, change: change(announced))
        if outcome.change == .deleted { forgetVersions() }
        return outcome
    }

    /// What was deleted, and has no other name, has no versions either.
    private func forgetVersions() {
        guard let handle, let status = try? handle.status(), status.linkCount == 0,
            let identity = try? ItemIdentity(of: handle)
        else { return }
        VersionSweep.forget(identity)
    }

    private func change(_ announced: Set<ExactPath>) -> ClaimOutcome.Change {
        // Those who read it find what they found before.
        if access.traits.contains(.evicts) { return .none }
        let isAnnounced = announced.contains(access.path)
        guard let after = try? FileStatus.of(access.path.string, followingLinks: false) else {
            if before == nil || isAnnounced { return .none }
            if let moved = destination { return .moved(toPath: moved.path, key: moved.key) }
            return .deleted
        }
        guard let before else { return .changed }
        // What is there now has come into the place of what has moved.
        if isAnnounced { return before.identity == after.identity ? .none : .changed }
        if before.identity != after.identity, let moved = destination {
            return .moved(toPath: moved.path, key: moved.key)
        }
        // Some use this option only to be alone with the file for a moment.
        if access.traits.contains(.deletes), before.identity == after.identity, before.size == after.size,
            before.modified == after.modified
        {
            return .none
        }
        return .changed
    }

    private var destination: ItemPath? {
        guard access.traits.contains(.moves), let handle, let path = handle.path, ExactPath(path) != access.path
        else {
            return nil
        }
        return ItemPath(resolved: path)
    }
}

extension timespec {
    fileprivate static func == (left: timespec, right: timespec) -> Bool {
        left.tv_sec == right.tv_sec && left.tv_nsec == right.tv_nsec
    }
}

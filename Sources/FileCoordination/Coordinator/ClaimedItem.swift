import Foundation
import Glibc
import LinuxSystem

/// An item that a call to a coordinator uses, and the kind of use.
struct ClaimedItem: Sendable {
    enum Use: Sendable {
        case reading(NSFileCoordinator.ReadingOptions)
        case writing(NSFileCoordinator.WritingOptions)
        /// The item's contents are evicted.
        case evicting
    }

    let url: URL
    let use: Use
    /// The descriptor of the open file, if another process sent the descriptor to this process. This process may be
    /// unable to open the file by its path.
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

    /// Whether a symbolic link is replaced by its target. For uploading, the target is copied under the link's name.
    private var followsLink: Bool { resolvesLink || isForUploading }

    var isForUploading: Bool {
        if case .reading(let options) = use { return options.contains(.forUploading) }
        return false
    }

    /// Resolves the item's current path.
    func locate() throws -> ItemPath { try ItemPath(url, followingLink: followsLink) }

    func access(at place: ItemPath) -> Access { Access(path: place.path, key: place.key, traits: traits) }

    private var traits: Access.Traits {
        switch use {
        case .reading(let options):
            if options.contains(.immediatelyAvailableMetadataOnly) { return .isQuiet }
            return options.contains(.withoutChanges) ? [] : .saves
        case .evicting: return [.writes, .evicts]
        case .writing(let options):
            // With any further option, more than metadata is written, so the access is an ordinary one.
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

/// The state of an item before it is written. The item's change is determined afterwards by comparison with this state.
struct ItemWatch {
    private let access: Access
    private let number: Int
    private let before: FileStatus?
    /// A descriptor that stays valid when the item is moved, and shows whether the item still exists.
    private let handle: FileDescriptor?

    /// Creates the watch; `nil` if the access only reads the item. `number` is the index of the access in its claim.
    init?(_ access: Access, number: Int) {
        guard access.writes else { return nil }
        self.access = access
        self.number = number
        before = try? FileStatus.of(access.path.string, followingLinks: false)
        handle =
            access.traits.isDisjoint(with: [.moves, .deletes])
            ? nil : try? FileDescriptor.open(access.path.string, [.pathOnly, .noFollow])
    }

    /// Returns how the item has changed since the watch was created.
    ///
    /// - Parameter announced: The former paths of items whose move was announced.
    func outcome(announced: Set<ExactPath>) -> ClaimOutcome {
        let outcome = ClaimOutcome(access: number, change: change(announced))
        if outcome.change == .deleted { forgetVersions() }
        return outcome
    }

    /// Removes the stored versions of the deleted item, unless the item has another hard link.
    private func forgetVersions() {
        guard let handle, let status = try? handle.status(), status.linkCount == 0,
            let identity = try? ItemIdentity(of: handle)
        else { return }
        VersionSweep.forget(identity)
    }

    private func change(_ announced: Set<ExactPath>) -> ClaimOutcome.Change {
        // Eviction is not a change, because readers find the same contents as before.
        if access.traits.contains(.evicts) { return .none }
        let isAnnounced = announced.contains(access.path)
        guard let after = try? FileStatus.of(access.path.string, followingLinks: false) else {
            if before == nil || isAnnounced { return .none }
            if let moved = destination { return .moved(toPath: moved.path, key: moved.key) }
            return .deleted
        }
        guard let before else { return .changed }
        // The move was announced, so only an item that took the path of the moved item is a change. Such an item has
        // another identity.
        if isAnnounced { return before.identity == after.identity ? .none : .changed }
        if before.identity != after.identity, let moved = destination {
            return .moved(toPath: moved.path, key: moved.key)
        }
        // Some programs write with `forDeleting` only to get exclusive access, and do not change the file.
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

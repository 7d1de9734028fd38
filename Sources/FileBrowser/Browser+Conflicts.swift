import DomainMessages
import FileProvider
import LinuxSystem

/// Conflicts: files that were changed both on this machine and at the service, so that both versions exist.
extension Browser {
    /// Returns both versions of a file if the file has a conflicted copy in its folder, or is itself a conflicted copy.
    /// Examines all items of the listing. Without a request of the user, call ``conflictAtHand(of:)`` instead.
    package func conflict(of item: BrowserItem) -> ConflictPair? {
        guard item.mountedPath != nil, !item.isFolder else { return nil }
        if let name = ConflictPair.originalName(of: item.name) {
            let path = item.folder.isEmpty ? name : item.folder + "/" + name
            let original = listing.item(BrowserItem.ID(domain: item.domain, path: path))
            return original.map { ConflictPair(original: $0, copy: item) }
        }
        for row in 0..<listing.count {
            let other = listing[row]
            if other.folder == item.folder, other.domain == item.domain, !other.isFolder,
                ConflictPair.originalName(of: other.name) == item.name
            {
                return ConflictPair(original: item, copy: other)
            }
        }
        return nil
    }

    /// The maximum number of items that are examined without a request of the user.
    private static let mostLookedAt = 5_000

    /// Returns the versions of a file as ``conflict(of:)`` does; `nil` in a folder with very many items.
    package func conflictAtHand(of item: BrowserItem) -> ConflictPair? {
        listing.count <= Self.mostLookedAt ? conflict(of: item) : nil
    }

    /// The version that stays when a conflict is resolved.
    package enum Winner: Sendable {
        case original
        /// The copy stays and gets the name of the original.
        case copy
    }

    /// Keeps one version and moves the other version to the trash. ``undo()`` reverts this.
    package func resolve(_ conflict: ConflictPair, keeping winner: Winner) {
        attempt { browser throws(BrowserError) in
            let loser = winner == .original ? conflict.copy : conflict.original
            guard let copyPath = conflict.copy.mountedPath, let path = conflict.original.mountedPath else {
                throw Browser.unmounted
            }
            _ = try await browser.daemon.call(TrashItemCall(place: loser.place))
            browser.listing.remove(loser.id)
            var steps: [UndoStep] = [.trashed([loser])]
            defer { browser.done("The other version was moved to the trash", .several(steps)) }
            guard winner == .copy else { return }
            try await FileWork.move(copyPath, to: path)
            steps.append(.moved([(copyPath, path)]))
            browser.listing.remove(conflict.copy.id)
            await browser.readItem(conflict.original.id)
            browser.whenPlaced(conflict.original.id)
        }
    }
}

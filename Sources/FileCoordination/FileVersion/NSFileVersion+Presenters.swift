import Foundation

extension NSFileVersion {
    /// Creates the version of a notice to a presenter. Blocks on the file system.
    convenience init(_ change: VersionChange, of url: URL) {
        let kept = change.kind == .lost ? nil : Self.kept(ofItemAt: url, change.record.identifier)
        self.init(kept ?? KeptVersion(withoutContents: change.record), of: url)
    }

    private static func kept(ofItemAt url: URL, _ identifier: UUID) -> KeptVersion? {
        guard let item = try? url.foundItem(), let store = try? VersionStore(of: item) else { return nil }
        return store.versions.first { $0.record.identifier == identifier }
    }

    /// Notifies the presenters of an item, in all processes, of a change of one of its versions.
    static func announce(_ kind: VersionChange.Kind, _ version: KeptVersion, ofItemAt url: URL) {
        guard let item = try? ItemPath(url) else { return }
        ProcessCoordination.current.announce(
            .changedVersion(path: item.path, VersionChange(kind, version.record)))
    }
}

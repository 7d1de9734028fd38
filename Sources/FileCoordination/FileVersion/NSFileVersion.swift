import Foundation
import Glibc
import LinuxSystem

/// A version of a file or package: its current contents, or other contents that were stored for it.
///
/// Stored versions belong to the item, even after it is renamed or moved. If a program saves by renaming a new file
/// over the item, the versions belong to the new file. Stored versions are copies in the directory `versions` of the
/// user's data directory, and stay until they are removed. Versions are stored by programs, and by a synchronization
/// service that finds a conflict. If an item is deleted in a coordinated access, its versions are removed at once. If
/// an item is missing for another reason, its versions are removed after a month.
///
/// Presenters of the item, in all processes, are notified of each version that is added, removed or resolved.
///
/// The functions block on the file system. The first call that changes a version also blocks until the daemon is
/// connected. An object may be used by only one thread at a time.
///
/// Source: Foundation, `NSFileVersion.h`.
open class NSFileVersion: NSObject {
    /// Options for adding a version.
    public struct AddingOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: UInt

        /// Creates options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Moves the file that has the contents, instead of copying it.
        public static let byMoving = AddingOptions(rawValue: 1 << 0)
    }

    /// Options for replacing an item by a version.
    public struct ReplacingOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: UInt

        /// Creates options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Removes the version from the store after the replacement.
        public static let byMoving = ReplacingOptions(rawValue: 1 << 0)
    }

    /// The stored version; `nil` if this object is the current version.
    private var kept: KeptVersion?
    private let itemURL: URL

    init(_ kept: KeptVersion?, of itemURL: URL) {
        self.kept = kept
        self.itemURL = itemURL
    }

    /// The location of this version's contents. The contents of a stored version must not be changed.
    open var url: URL { kept?.contents ?? itemURL }

    /// The name that the item has in this version.
    open var localizedName: String? { kept?.record.name ?? itemURL.path.lastPathName }

    /// The name of the computer on which the version was saved.
    open var localizedNameOfSavingComputer: String? { kept?.record.computer ?? VersionRecord.thisComputer }

    /// The date of the last change of the version's contents; `nil` for the current version of an item that does not
    /// exist any more.
    open var modificationDate: Date? {
        if let kept { return kept.record.modificationDate }
        return (try? FileStatus.of(itemURL.bookmarkPath)).map { Date($0.modified) }
    }

    /// The identifier by which ``version(ofItemAt:forPersistentIdentifier:)`` finds the version.
    open var persistentIdentifier: any NSCoding {
        (kept?.record.identifier.uuidString ?? KeptVersion.currentIdentifier) as NSString
    }

    /// Whether the version was saved on another computer at the same time as another version.
    open var isConflict: Bool { kept?.record.isConflict ?? false }

    /// Whether the version's conflict is resolved. The value can only be changed to `true`, and this is permanent. If
    /// the change cannot be written to disk, the value stays unchanged.
    open var isResolved: Bool {
        get { kept?.record.isResolved ?? true }
        set {
            guard newValue, !isResolved, change({ $0.isResolved = true }), let kept else { return }
            Self.announce(.resolved, kept, ofItemAt: itemURL)
        }
    }

    /// Whether the version may be removed to free disk space. At present, no version is removed for this reason.
    open var isDiscardable: Bool {
        get { kept?.record.isDiscardable ?? false }
        set { _ = change { $0.isDiscardable = newValue } }
    }

    /// Whether the version's contents are local. The value is always `true`, unless the version was removed.
    open var hasLocalContents: Bool { kept?.hasContents ?? true }

    /// Whether a version that is not local has a thumbnail. Always `false`.
    open var hasThumbnail: Bool { false }

    private func change(_ body: (inout VersionRecord) -> Void) -> Bool {
        guard var changed = kept else { return false }
        body(&changed.record)
        guard (try? changed.writeRecord()) != nil else { return false }
        kept = changed
        return true
    }

    /// Replaces an item with the contents of this version. The item keeps its versions.
    ///
    /// - Returns: The URL of the item.
    /// - Throws: `CocoaError`, and errors of copying. In this case the item is unchanged.
    @discardableResult
    open func replaceItem(at url: URL, options: ReplacingOptions = []) throws -> URL {
        try VersionStore.reporting(url) {
            try VersionStore.replaceItem(at: url, with: self.url)
            if options.contains(.byMoving), let kept { try kept.remove() }
        }
        if options.contains(.byMoving), let kept { Self.announce(.lost, kept, ofItemAt: itemURL) }
        return url
    }

    /// Removes this stored version.
    ///
    /// - Throws: `CocoaError`. The code is `featureUnsupported` if this is the current version.
    open func remove() throws {
        guard let kept else { throw CocoaError(.featureUnsupported, userInfo: [NSURLErrorKey: itemURL]) }
        try VersionStore.reporting(itemURL) { try kept.remove() }
        Self.announce(.lost, kept, ofItemAt: itemURL)
    }

    // MARK: Finding and removing versions

    /// Returns the current version of an item; `nil` if the item does not exist.
    open class func currentVersionOfItem(at url: URL) -> NSFileVersion? {
        guard url.isFileURL, (try? url.foundItem()) != nil else { return nil }
        return NSFileVersion(nil, of: url)
    }

    /// Returns the stored versions of an item, the newest first; `nil` if the item does not exist.
    open class func otherVersionsOfItem(at url: URL) -> [NSFileVersion]? {
        guard let item = try? url.foundItem(), let store = try? VersionStore(of: item) else { return nil }
        return store.versions.map { NSFileVersion($0, of: url) }
    }

    /// Returns the item's stored versions that have unresolved conflicts; `nil` if the item does not exist.
    open class func unresolvedConflictVersionsOfItem(at url: URL) -> [NSFileVersion]? {
        otherVersionsOfItem(at: url)?.filter { $0.isConflict && !$0.isResolved }
    }

    /// Returns the item's version with the given identifier; `nil` if there is none.
    open class func version(
        ofItemAt url: URL, forPersistentIdentifier persistentIdentifier: Any
    ) -> NSFileVersion? {
        guard let identifier = persistentIdentifier as? String else { return nil }
        if identifier == KeptVersion.currentIdentifier { return currentVersionOfItem(at: url) }
        return otherVersionsOfItem(at: url)?.first { $0.persistentIdentifier as? NSString == identifier as NSString }
    }

    /// Passes the versions that are only on other computers to the completion handler. The list is always empty,
    /// because a synchronization service stores all versions locally.
    open class func getNonlocalVersionsOfItem(
        at url: URL, completionHandler: @escaping @Sendable ([NSFileVersion]?, (any Error)?) -> Void
    ) {
        HandlerThreads.shared.run { completionHandler([], nil) }
    }

    /// Creates a directory for the contents of a version that is to be added by moving. The caller must remove the
    /// directory.
    open class func temporaryDirectoryURLForNewVersionOfItem(at url: URL) -> URL {
        VersionStore.newTemporaryFolder()
    }

    /// Removes all stored versions of an item.
    open class func removeOtherVersionsOfItem(at url: URL) throws {
        let item = try url.foundItem()
        try VersionStore.reporting(url) {
            for version in try VersionStore(of: item).versions {
                try version.remove()
                announce(.lost, version, ofItemAt: url)
            }
        }
    }
}

extension NSFileVersion {
    /// Creates the version that is passed to a presenter when it is notified of a change. Blocks on the file system.
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

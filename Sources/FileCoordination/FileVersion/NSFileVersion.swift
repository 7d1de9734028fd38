import Foundation
import Glibc
import LinuxSystem

/// One of the contents that a file or package has had: the one that is there, or another one that was kept of it.
///
/// Kept versions belong to the item itself and follow it when it is renamed or moved; one that is saved by renaming a new file
/// over it takes them over. They are copies in the user's data folder (`versions`), and go when they are removed. Nothing
/// keeps a version by itself: programs do, and a synchronised service that finds a conflict. Those of an item that is deleted under
/// a coordinator go with it, those of one that is missing otherwise after a month.
///
/// Those who present the item learn of each version that is added, removed or resolved, also in other processes.
///
/// The functions block on the file system, and those that change something, the first time, until the daemon is there. An
/// object belongs to one thread at a time.
///
/// Source: Foundation, `NSFileVersion.h`.
open class NSFileVersion: NSObject {
    /// How a version is added.
    public struct AddingOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: UInt

        /// Options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Takes the file away from where its contents are, instead of copying it.
        public static let byMoving = AddingOptions(rawValue: 1 << 0)
    }

    /// How an item is replaced by a version.
    public struct ReplacingOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: UInt

        /// Options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The version is used up by it.
        public static let byMoving = ReplacingOptions(rawValue: 1 << 0)
    }

    /// `nil` for the version that is there.
    private var kept: KeptVersion?
    private let itemURL: URL

    init(_ kept: KeptVersion?, of itemURL: URL) {
        self.kept = kept
        self.itemURL = itemURL
    }

    /// Where the contents of this version are. Those of a kept version must not be changed.
    open var url: URL { kept?.contents ?? itemURL }

    /// What the item was called in this version.
    open var localizedName: String? { kept?.record.name ?? itemURL.path.lastPathName }

    /// The computer on which it was saved.
    open var localizedNameOfSavingComputer: String? { kept?.record.computer ?? VersionRecord.thisComputer }

    /// When its contents were changed last; `nil` when they are gone.
    open var modificationDate: Date? {
        if let kept { return kept.record.modificationDate }
        return (try? FileStatus.of(itemURL.bookmarkPath)).map { Date($0.modified) }
    }

    /// Finds it again with ``version(ofItemAt:forPersistentIdentifier:)``: a string.
    open var persistentIdentifier: any NSCoding {
        (kept?.record.identifier.uuidString ?? KeptVersion.currentIdentifier) as NSString
    }

    /// Whether it was saved while another one was, elsewhere.
    open var isConflict: Bool { kept?.record.isConflict ?? false }

    /// Whether the conflict is over. Setting it is for good; it can be set to `true` only, and what cannot be written stays as it
    /// was.
    open var isResolved: Bool {
        get { kept?.record.isResolved ?? true }
        set {
            guard newValue, !isResolved, change({ $0.isResolved = true }), let kept else { return }
            Self.announce(.resolved, kept, ofItemAt: itemURL)
        }
    }

    /// Whether the version may be removed when space is needed. Nothing does so yet.
    open var isDiscardable: Bool {
        get { kept?.record.isDiscardable ?? false }
        set { _ = change { $0.isDiscardable = newValue } }
    }

    /// Whether the contents are on this computer: always, but for a version that is gone.
    open var hasLocalContents: Bool { kept?.hasContents ?? true }

    /// Whether there is a thumbnail of a version that is elsewhere: never.
    open var hasThumbnail: Bool { false }

    private func change(_ body: (inout VersionRecord) -> Void) -> Bool {
        guard var changed = kept else { return false }
        body(&changed.record)
        guard (try? changed.writeRecord()) != nil else { return false }
        kept = changed
        return true
    }

    /// Puts the contents of this version in the place of an item. The versions of that item stay with it.
    ///
    /// - Returns: where the item is now.
    /// - Throws: `CocoaError`, and what copying throws; the item is then as it was.
    @discardableResult
    open func replaceItem(at url: URL, options: ReplacingOptions = []) throws -> URL {
        try VersionStore.reporting(url) {
            try VersionStore.replaceItem(at: url, with: self.url)
            if options.contains(.byMoving), let kept { try kept.remove() }
        }
        if options.contains(.byMoving), let kept { Self.announce(.lost, kept, ofItemAt: itemURL) }
        return url
    }

    /// Removes this version.
    ///
    /// - Throws: `CocoaError`, `featureUnsupported` for the version that is there.
    open func remove() throws {
        guard let kept else { throw CocoaError(.featureUnsupported, userInfo: [NSURLErrorKey: itemURL]) }
        try VersionStore.reporting(itemURL) { try kept.remove() }
        Self.announce(.lost, kept, ofItemAt: itemURL)
    }

    // MARK: Finding and removing versions

    /// The version of an item that is there; `nil` when there is no such item.
    open class func currentVersionOfItem(at url: URL) -> NSFileVersion? {
        guard url.isFileURL, (try? url.foundItem()) != nil else { return nil }
        return NSFileVersion(nil, of: url)
    }

    /// The versions that are kept of an item, the newest first; `nil` when there is no such item.
    open class func otherVersionsOfItem(at url: URL) -> [NSFileVersion]? {
        guard let item = try? url.foundItem(), let store = try? VersionStore(of: item) else { return nil }
        return store.versions.map { NSFileVersion($0, of: url) }
    }

    /// Those of them that are in conflict, and not resolved; `nil` when there is no such item.
    open class func unresolvedConflictVersionsOfItem(at url: URL) -> [NSFileVersion]? {
        otherVersionsOfItem(at: url)?.filter { $0.isConflict && !$0.isResolved }
    }

    /// The version that has an identifier.
    open class func version(
        ofItemAt url: URL, forPersistentIdentifier persistentIdentifier: Any
    ) -> NSFileVersion? {
        guard let identifier = persistentIdentifier as? String else { return nil }
        if identifier == KeptVersion.currentIdentifier { return currentVersionOfItem(at: url) }
        return otherVersionsOfItem(at: url)?.first { $0.persistentIdentifier as? NSString == identifier as NSString }
    }

    /// The versions that are on other computers: none, because a service that knows of one brings it here.
    open class func getNonlocalVersionsOfItem(
        at url: URL, completionHandler: @escaping @Sendable ([NSFileVersion]?, (any Error)?) -> Void
    ) {
        HandlerThreads.shared.run { completionHandler([], nil) }
    }

    /// A new folder for the contents of a version that is to be added by moving. Whoever asks for it removes it.
    open class func temporaryDirectoryURLForNewVersionOfItem(at url: URL) -> URL {
        VersionStore.newTemporaryFolder()
    }

    /// Removes all versions that are kept of an item.
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

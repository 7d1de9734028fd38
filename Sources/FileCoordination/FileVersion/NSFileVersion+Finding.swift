import Foundation
import LinuxSystem

extension NSFileVersion {
    /// The version of an item that is there; `nil` when there is no such item.
    public class func currentVersionOfItem(at url: URL) -> NSFileVersion? {
        guard url.isFileURL, (try? url.foundItem()) != nil else { return nil }
        return NSFileVersion(nil, of: url)
    }

    /// The versions that are kept of an item, the newest first; `nil` when there is no such item.
    public class func otherVersionsOfItem(at url: URL) -> [NSFileVersion]? {
        guard let item = try? url.foundItem(), let store = try? VersionStore(of: item) else { return nil }
        return store.versions.map { NSFileVersion($0, of: url) }
    }

    /// Those of them that are in conflict, and not resolved; `nil` when there is no such item.
    public class func unresolvedConflictVersionsOfItem(at url: URL) -> [NSFileVersion]? {
        otherVersionsOfItem(at: url)?.filter { $0.isConflict && !$0.isResolved }
    }

    /// The version that has an identifier.
    public class func version(
        ofItemAt url: URL, forPersistentIdentifier persistentIdentifier: Any
    ) -> NSFileVersion? {
        guard let identifier = persistentIdentifier as? String else { return nil }
        if identifier == KeptVersion.currentIdentifier { return currentVersionOfItem(at: url) }
        return otherVersionsOfItem(at: url)?.first { $0.persistentIdentifier as? NSString == identifier as NSString }
    }

    /// The versions that are on other computers: none, because a service that knows of one brings it here.
    public class func getNonlocalVersionsOfItem(
        at url: URL, completionHandler: @escaping @Sendable ([NSFileVersion]?, (any Error)?) -> Void
    ) {
        HandlerThreads.shared.run { completionHandler([], nil) }
    }

    /// Keeps a version of an item.
    ///
    /// - Parameter contentsURL: the contents, which may be the item's own.
    /// - Throws: `CocoaError`, and what copying throws.
    @discardableResult
    public class func addOfItem(
        at url: URL, withContentsOf contentsURL: URL, options: AddingOptions = []
    ) throws -> NSFileVersion {
        let record = try VersionRecord(of: contentsURL, name: url.lastPathComponent)
        return try add(record, ofItemAt: url, contentsURL, options)
    }

    /// Keeps a version that was saved elsewhere while this one was: what a synchronised service does with a conflict.
    ///
    /// - Parameter computer: where it was saved.
    package class func addConflict(
        ofItemAt url: URL, withContentsOf contentsURL: URL, savedOn computer: String, options: AddingOptions = []
    ) throws -> NSFileVersion {
        var record = try VersionRecord(of: contentsURL, name: url.lastPathComponent)
        record.computer = computer
        record.isConflict = true
        record.isResolved = false
        return try add(record, ofItemAt: url, contentsURL, options)
    }

    private class func add(
        _ record: VersionRecord, ofItemAt url: URL, _ contentsURL: URL, _ options: AddingOptions
    ) throws -> NSFileVersion {
        let item = try url.foundItem()
        let kept = try VersionStore.reporting(url) {
            var store = try VersionStore(of: item)
            return try store.add(record, contentsURL, byMoving: options.contains(.byMoving))
        }
        return NSFileVersion(kept, of: url)
    }

    /// A new folder for the contents of a version that is to be added by moving. Whoever asks for it removes it.
    public class func temporaryDirectoryURLForNewVersionOfItem(at url: URL) -> URL {
        VersionStore.newTemporaryFolder()
    }

    /// Removes all versions that are kept of an item.
    public class func removeOtherVersionsOfItem(at url: URL) throws {
        let item = try url.foundItem()
        try VersionStore.reporting(url) { try VersionStore(of: item).removeAll() }
    }
}

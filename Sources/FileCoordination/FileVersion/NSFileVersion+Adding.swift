import Foundation
import LinuxSystem

extension NSFileVersion {
    /// Stores a version of an item.
    ///
    /// - Parameter contentsURL: The URL of the version's contents. It may be the URL of the item itself.
    /// - Throws: `CocoaError`, and errors of copying.
    @discardableResult
    public class func addOfItem(
        at url: URL, withContentsOf contentsURL: URL, options: AddingOptions = []
    ) throws -> NSFileVersion {
        let record = try VersionRecord(of: contentsURL, name: url.path.lastPathName)
        return try add(record, ofItemAt: url, contentsURL, options)
    }

    /// Stores a conflict version: contents that were saved on another computer at the same time as the item. A
    /// synchronization service calls this function when it finds a conflict.
    ///
    /// - Parameter computer: The name of the computer on which the contents were saved.
    package class func addConflict(
        ofItemAt url: URL, withContentsOf contentsURL: URL, savedOn computer: String, options: AddingOptions = []
    ) throws -> NSFileVersion {
        var record = try VersionRecord(of: contentsURL, name: url.path.lastPathName)
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
        announce(.gained, kept, ofItemAt: url)
        VersionSweep.runIfDue()
        return NSFileVersion(kept, of: url)
    }
}

import Foundation

/// A version of a file. Here a file has one: the current one.
///
/// Source: Foundation, `NSFileVersion.h`, as far as ``NSFilePresenter`` needs it.
open class NSFileVersion: NSObject {
    /// Where the version's contents are.
    public let url: URL
    /// When it was modified; `nil` when that cannot be told any more.
    public let modificationDate: Date?

    init(url: URL, modificationDate: Date?) {
        self.url = url
        self.modificationDate = modificationDate
    }

    /// The version that is in use; `nil` when there is no such file.
    open class func currentVersionOfItem(at url: URL) -> NSFileVersion? {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path) else { return nil }
        return NSFileVersion(url: url, modificationDate: attributes[.modificationDate] as? Date)
    }

    /// All versions but the current one.
    open class func otherVersionsOfItem(at url: URL) -> [NSFileVersion]? {
        currentVersionOfItem(at: url) == nil ? nil : []
    }

    /// The versions that are in conflict with the current one.
    open class func unresolvedConflictVersionsOfItem(at url: URL) -> [NSFileVersion]? { otherVersionsOfItem(at: url) }

    /// The name to show.
    open var localizedName: String? { url.lastPathComponent }
    /// Whether it is in conflict with another version.
    open var isConflict: Bool { false }
    /// Whether the conflict is resolved. The current version is always.
    open var isResolved = true
    /// Whether its contents are on this machine.
    open var hasLocalContents: Bool { true }
}

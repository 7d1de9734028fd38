import Foundation

/// The position at which a page of an enumeration begins. The system defines the first page, in one of two orders;
/// the provider defines all others.
///
/// A page has at most 500 bytes: an enumeration with a larger page fails.
///
/// Source: FileProvider, `NSFileProviderEnumerating.h`.
public struct NSFileProviderPage: Hashable, RawRepresentable, Sendable {
    /// The page's bytes. Only the provider interprets them.
    public let rawValue: Data
    /// Creates a page from bytes.
    public init(_ rawValue: Data) { self.rawValue = rawValue }
    /// Creates a page from bytes.
    public init(rawValue: Data) { self.rawValue = rawValue }

    /// The maximum number of bytes of a page or a sync anchor.
    package static let limit = 500

    // Any thread may read an immutable object.
    /// The first page of an enumeration in the order of dates, the newest items first. As on Apple's platforms, it is
    /// an `NSData`, which programs convert with `as Data` or `as NSFileProviderPage`.
    public nonisolated(unsafe) static let initialPageSortedByDate = NSData(
        data: Data("NSFileProviderInitialPageSortedByDate".utf8))
    // Any thread may read an immutable object.
    /// The first page of an enumeration in the order of names. As on Apple's platforms, it is an `NSData`, which
    /// programs convert with `as Data` or `as NSFileProviderPage`.
    public nonisolated(unsafe) static let initialPageSortedByName = NSData(
        data: Data("NSFileProviderInitialPageSortedByName".utf8))
}

/// The bridging for `NSFileProviderPage.initialPageSortedByName as NSFileProviderPage`, which programs use.
extension NSFileProviderPage: _ObjectiveCBridgeable {
    /// Returns the page's bytes.
    public func _bridgeToObjectiveC() -> NSData { NSData(data: rawValue) }
    /// Creates a page from bytes.
    public static func _forceBridgeFromObjectiveC(_ source: NSData, result: inout NSFileProviderPage?) {
        result = NSFileProviderPage(source as Data)
    }
    /// Creates a page from bytes. The conversion never fails.
    public static func _conditionallyBridgeFromObjectiveC(
        _ source: NSData, result: inout NSFileProviderPage?
    ) -> Bool {
        result = NSFileProviderPage(source as Data)
        return true
    }
    /// Creates a page from bytes; an empty page from `nil`.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSData?) -> NSFileProviderPage {
        NSFileProviderPage(source.map { $0 as Data } ?? Data())
    }
}

/// A point in a container's sequence of changes. The changes since this point can be requested.
///
/// An anchor has at most 500 bytes: a larger anchor counts as expired.
///
/// Source: FileProvider, `NSFileProviderEnumerating.h`.
public struct NSFileProviderSyncAnchor: Hashable, RawRepresentable, Sendable {
    /// The anchor's bytes. Only the provider interprets them.
    public let rawValue: Data
    /// Creates an anchor from bytes.
    public init(_ rawValue: Data) { self.rawValue = rawValue }
    /// Creates an anchor from bytes.
    public init(rawValue: Data) { self.rawValue = rawValue }
}

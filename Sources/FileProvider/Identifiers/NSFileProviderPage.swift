import Foundation

/// Where the next items of a listing begin: the first page is one of two that the system names, the others are the provider's.
///
/// At most 500 bytes: a listing with a larger one fails.
///
/// Source: FileProvider, `NSFileProviderEnumerating.h`.
public struct NSFileProviderPage: Hashable, RawRepresentable, Sendable {
    /// The page's bytes, which mean something to the provider only.
    public let rawValue: Data
    /// A page of bytes.
    public init(_ rawValue: Data) { self.rawValue = rawValue }
    /// A page of bytes.
    public init(rawValue: Data) { self.rawValue = rawValue }

    /// How many bytes a page or an anchor may have.
    package static let limit = 500

    // An immutable object that nobody changes may be read by any thread.
    /// The first page of a listing whose newest items come first. An `NSData` as it is with Apple, to be written as
    /// `initialPageSortedByDate as Data` or `as NSFileProviderPage`.
    public nonisolated(unsafe) static let initialPageSortedByDate = NSData(
        data: Data("NSFileProviderInitialPageSortedByDate".utf8))
    // The same.
    /// The first page of a listing in the order of names. An `NSData` as it is with Apple, to be written as
    /// `initialPageSortedByName as Data` or `as NSFileProviderPage`.
    public nonisolated(unsafe) static let initialPageSortedByName = NSData(
        data: Data("NSFileProviderInitialPageSortedByName".utf8))
}

/// What lets `NSFileProviderPage.initialPageSortedByName as NSFileProviderPage` be written, as programs do.
extension NSFileProviderPage: _ObjectiveCBridgeable {
    /// The page's bytes.
    public func _bridgeToObjectiveC() -> NSData { NSData(data: rawValue) }
    /// A page of these bytes.
    public static func _forceBridgeFromObjectiveC(_ source: NSData, result: inout NSFileProviderPage?) {
        result = NSFileProviderPage(source as Data)
    }
    /// A page of these bytes.
    public static func _conditionallyBridgeFromObjectiveC(
        _ source: NSData, result: inout NSFileProviderPage?
    ) -> Bool {
        result = NSFileProviderPage(source as Data)
        return true
    }
    /// A page of these bytes; an empty one of none.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSData?) -> NSFileProviderPage {
        NSFileProviderPage(source.map { $0 as Data } ?? Data())
    }
}

/// A moment in the history of a container: the changes that are asked for begin there.
///
/// At most 500 bytes: a larger one counts as expired.
///
/// Source: FileProvider, `NSFileProviderEnumerating.h`.
public struct NSFileProviderSyncAnchor: Hashable, RawRepresentable, Sendable {
    /// The anchor's bytes, which mean something to the provider only.
    public let rawValue: Data
    /// An anchor of bytes.
    public init(_ rawValue: Data) { self.rawValue = rawValue }
    /// An anchor of bytes.
    public init(rawValue: Data) { self.rawValue = rawValue }
}

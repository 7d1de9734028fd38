import Foundation
import ItemProvider

/// An object that can be written to a pasteboard, see ``NSPasteboard/writeObjects(_:)``.
///
/// A class that conforms to `NSItemProviderWriting` needs no further methods: its objects are written in the same types
/// and with the same data as to an item provider.
///
/// Source: AppKit, `NSPasteboard.h`.
public protocol NSPasteboardWriting: NSObjectProtocol {
    /// Returns the types that the object is written as, best first.
    func writableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType]
    /// Returns the options for writing the object as the given type. By default the object is written at once.
    func writingOptions(
        forType type: NSPasteboard.PasteboardType, pasteboard: NSPasteboard
    ) -> NSPasteboard.WritingOptions
    /// Returns the object in the form of the given type: data, a string, or another value that a property list can
    /// contain; `nil` if it is not available. If the type is promised, this function is called on the main thread when
    /// a client loads the type.
    func pasteboardPropertyList(forType type: NSPasteboard.PasteboardType) -> Any?
}

extension NSPasteboardWriting {
    /// Returns no options: the object is written at once.
    public func writingOptions(
        forType type: NSPasteboard.PasteboardType, pasteboard: NSPasteboard
    ) -> NSPasteboard.WritingOptions { [] }
}

/// A class whose objects can be created from the contents of a pasteboard; see
/// ``NSPasteboard/readObjects(forClasses:options:)``.
///
/// A class that conforms to `NSItemProviderReading` needs no further methods: its objects are read from the same types
/// and data as from an item provider.
///
/// Source: AppKit, `NSPasteboard.h`.
public protocol NSPasteboardReading: NSObjectProtocol {
    /// Returns the types from which objects of the class are created, best first.
    static func readableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType]
    /// Returns the form in which the class reads data of the given type. The default is `Data`.
    static func readingOptions(
        forType type: NSPasteboard.PasteboardType, pasteboard: NSPasteboard
    ) -> NSPasteboard.ReadingOptions
    /// Creates an object from a value in the form that ``readingOptions(forType:pasteboard:)`` returns; `nil` if the
    /// class cannot read the value.
    init?(pasteboardPropertyList propertyList: Any, ofType type: NSPasteboard.PasteboardType)
}

extension NSPasteboardReading {
    /// Returns `asData`.
    public static func readingOptions(
        forType type: NSPasteboard.PasteboardType, pasteboard: NSPasteboard
    ) -> NSPasteboard.ReadingOptions { .asData }
}

/// The owner of types that were declared with ``NSPasteboard/declareTypes(_:owner:)``. It provides the data of these
/// types. The pasteboard does not retain the owner, whose promises are valid as long as it exists.
///
/// Source: AppKit, `NSPasteboard.h`.
public protocol NSPasteboardTypeOwner: NSObjectProtocol {
    /// Sets the data of a declared type on the given pasteboard. Called on the main thread when a client loads the
    /// data.
    func pasteboard(_ sender: NSPasteboard, provideDataForType type: NSPasteboard.PasteboardType)
    /// Called on the main thread when the pasteboard has other contents.
    func pasteboardChangedOwner(_ sender: NSPasteboard)
}

extension NSPasteboardTypeOwner {
    /// Does nothing.
    public func pasteboardChangedOwner(_ sender: NSPasteboard) {}
}

/// The provider of an item's promised data, see ``NSPasteboardItem/setDataProvider(_:forTypes:)``.
///
/// Source: AppKit, `NSPasteboardItem.h`.
public protocol NSPasteboardItemDataProvider: NSObjectProtocol {
    /// Sets the data of a promised type on the given item. Called on the main thread when a client loads the data.
    func pasteboard(
        _ pasteboard: NSPasteboard?, item: NSPasteboardItem,
        provideDataForType type: NSPasteboard.PasteboardType)
    /// Called on the main thread when no more data will be requested, because all data was provided, or because the
    /// pasteboard has other contents.
    func pasteboardFinishedWithDataProvider(_ pasteboard: NSPasteboard)
}

extension NSPasteboardItemDataProvider {
    /// Does nothing.
    public func pasteboardFinishedWithDataProvider(_ pasteboard: NSPasteboard) {}
}

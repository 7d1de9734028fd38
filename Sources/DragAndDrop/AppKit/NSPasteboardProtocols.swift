import Foundation
import ItemProvider

/// An object that can be written to a pasteboard, see ``NSPasteboard/writeObjects(_:)``.
///
/// A class that is `NSItemProviderWriting` has an answer for everything: it is written as it is given to an item provider.
///
/// Source: AppKit, `NSPasteboard.h`.
public protocol NSPasteboardWriting: NSObjectProtocol {
    /// The types that the object is written as, best first.
    func writableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType]
    /// How it is written as a type; at once without an answer.
    func writingOptions(
        forType type: NSPasteboard.PasteboardType, pasteboard: NSPasteboard
    ) -> NSPasteboard.WritingOptions
    /// The object as a type: data, a string, or anything else that a property list holds; `nil` where it cannot be had. For
    /// what is promised, called on the main thread when somebody wants it.
    func pasteboardPropertyList(forType type: NSPasteboard.PasteboardType) -> Any?
}

extension NSPasteboardWriting {
    /// At once.
    public func writingOptions(
        forType type: NSPasteboard.PasteboardType, pasteboard: NSPasteboard
    ) -> NSPasteboard.WritingOptions { [] }
}

/// A class whose objects can be made from what is on a pasteboard, see ``NSPasteboard/readObjects(forClasses:options:)``.
///
/// A class that is `NSItemProviderReading` has an answer for everything: it is read as from an item provider.
///
/// Source: AppKit, `NSPasteboard.h`.
public protocol NSPasteboardReading: NSObjectProtocol {
    /// The types that objects of the class are made from, best first.
    static func readableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType]
    /// In which form a type is wanted; as data without an answer.
    static func readingOptions(
        forType type: NSPasteboard.PasteboardType, pasteboard: NSPasteboard
    ) -> NSPasteboard.ReadingOptions
    /// Makes an object from what is there, in the form that the class asks for; `nil` where it cannot be made.
    init?(pasteboardPropertyList propertyList: Any, ofType type: NSPasteboard.PasteboardType)
}

extension NSPasteboardReading {
    /// As data.
    public static func readingOptions(
        forType type: NSPasteboard.PasteboardType, pasteboard: NSPasteboard
    ) -> NSPasteboard.ReadingOptions { .asData }
}

/// Who keeps the promises of ``NSPasteboard/declareTypes(_:owner:)``. It is not retained: what is promised is there for as long
/// as the owner lives.
///
/// Source: AppKit, `NSPasteboard.h`.
public protocol NSPasteboardTypeOwner: NSObjectProtocol {
    /// Somebody wants data of a declared type: put it on the pasteboard that is given. Called on the main thread.
    func pasteboard(_ sender: NSPasteboard, provideDataForType type: NSPasteboard.PasteboardType)
    /// Something else is on the pasteboard now. Called on the main thread.
    func pasteboardChangedOwner(_ sender: NSPasteboard)
}

extension NSPasteboardTypeOwner {
    /// Nothing.
    public func pasteboardChangedOwner(_ sender: NSPasteboard) {}
}

/// Who keeps the promises of an item, see ``NSPasteboardItem/setDataProvider(_:forTypes:)``.
///
/// Source: AppKit, `NSPasteboardItem.h`.
public protocol NSPasteboardItemDataProvider: NSObjectProtocol {
    /// Somebody wants data of a promised type: put it into the item that is given. Called on the main thread.
    func pasteboard(
        _ pasteboard: NSPasteboard?, item: NSPasteboardItem,
        provideDataForType type: NSPasteboard.PasteboardType)
    /// Nothing more will be asked for: everything was provided, or something else is on the pasteboard now. Called on the main
    /// thread.
    func pasteboardFinishedWithDataProvider(_ pasteboard: NSPasteboard)
}

extension NSPasteboardItemDataProvider {
    /// Nothing.
    public func pasteboardFinishedWithDataProvider(_ pasteboard: NSPasteboard) {}
}

import Foundation
import ItemProvider
import UniformTypeIdentifiers

/// A reader of objects of one class from the items of a pasteboard.
struct PasteboardReader {
    private let reader: any NSPasteboardReading.Type
    private let pasteboard: NSPasteboard
    private let types: [NSPasteboard.PasteboardType]
    private let isOfFilesOnly: Bool
    /// The types that files must have; `nil` accepts every type.
    private let contentTypes: [String]?

    /// Creates a reader; `nil` for a class that cannot be read from pasteboards.
    init?(_ aClass: AnyClass, _ pasteboard: NSPasteboard, _ options: [NSPasteboard.ReadingOptionKey: Any]?) {
        guard let reader = aClass as? any NSPasteboardReading.Type else { return nil }
        self.reader = reader
        self.pasteboard = pasteboard
        types = reader.readableTypes(for: pasteboard)
        let isOfURLs = reader is NSURL.Type
        contentTypes = isOfURLs ? options?[.urlReadingContentsConformToTypes] as? [String] : nil
        isOfFilesOnly = isOfURLs && (contentTypes != nil || options?[.urlReadingFileURLsOnly] as? Bool == true)
    }

    /// Whether the class can read an item. The item's types determine this. If only files of certain types are wanted,
    /// the type of the file at the item's URL is examined, too.
    func canRead(_ item: NSPasteboardItem) -> Bool {
        if reader is NSPasteboardItem.Type { return true }
        return contentTypes == nil ? !readable(item).isEmpty : object(from: item) != nil
    }

    /// Creates an object from an item; `nil` if the class cannot read the item.
    func object(from item: NSPasteboardItem) -> Any? {
        if reader is NSPasteboardItem.Type { return item }
        return readable(item).lazy.compactMap { object(from: item, as: $0) }.first
    }

    /// Returns the item's types that the class can read, in the order in which the class lists its types. Types that
    /// are themselves listed come before types that only conform to a listed type.
    private func readable(_ item: NSPasteboardItem) -> [NSPasteboard.PasteboardType] {
        let own = item.types
        let named = types.flatMap { type in own.filter { TypeIdentifier.areEqual($0.rawValue, type.rawValue) } }
        let kinds = types.flatMap { type in
            own.filter { !named.contains($0) && TypeIdentifier.conforms($0.rawValue, to: type.rawValue) }
        }
        let all = (named + kinds).reduce(into: [NSPasteboard.PasteboardType]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        guard isOfFilesOnly else { return all }
        return all.filter { TypeIdentifier.conforms($0.rawValue, to: UTType.fileURL.identifier) }
    }

    private func object(from item: NSPasteboardItem, as type: NSPasteboard.PasteboardType) -> Any? {
        let options = reader.readingOptions(forType: type, pasteboard: pasteboard)
        if options.contains(.asKeyedArchive) {
            return item.data(forType: type).flatMap { KeyedArchive.unarchive($0, as: reader) }
        }
        let list: Any? =
            if options.contains(.asPropertyList) {
                item.propertyList(forType: type)
            } else if options.contains(.asString) {
                item.string(forType: type)
            } else {
                item.data(forType: type)
            }
        guard let list, let object = reader.init(pasteboardPropertyList: list, ofType: type) else { return nil }
        if isOfFilesOnly {
            guard let url = object as? NSURL, isWanted(url as URL) else { return nil }
        }
        (object as? NSFilePromiseReceiver)?.attach(to: item)
        return object
    }

    private func isWanted(_ url: URL) -> Bool {
        guard url.isFileURL else { return false }
        guard let contentTypes else { return true }
        let type = FileType.type(of: url).identifier
        return contentTypes.contains { TypeIdentifier.conforms(type, to: $0) }
    }
}

import FileCoordination
import Foundation
import ItemProvider
import UniformTypeIdentifiers

/// Creation of pasteboards that have all types to which a file, data or another pasteboard can be converted.
extension NSPasteboard {
    static let texts = [UTType.utf16ExternalPlainText, .utf16PlainText, .plainText].map {
        PasteboardType($0.identifier)
    }

    /// Creates a uniquely named pasteboard with the URL and the contents of a file. The contents are available as the
    /// type of the file, and as `fileContents`. If the file does not exist, the pasteboard is empty.
    public convenience init(byFilteringFile filename: String) {
        self.init(name: Self.uniqueName)
        clearContents()
        let url = URL(fileURLWithPath: filename)
        guard let wrapper = try? FileWrapper(url: url) else { return }
        setString(url.absoluteString, forType: .fileURL)
        if let contents = wrapper.regularFileContents {
            setData(contents, forType: PasteboardType(FileType.type(of: url).identifier))
        }
        write(wrapper)
    }

    /// Creates a uniquely named pasteboard with data of the given type.
    public convenience init(byFilteringData data: Data, ofType type: NSPasteboard.PasteboardType) {
        self.init(name: Self.uniqueName)
        clearContents()
        setData(data, forType: type)
    }

    /// Creates a uniquely named pasteboard with the items of another pasteboard. Their data is loaded when a client
    /// requests it.
    public convenience init(byFilteringTypesInPasteboard pboard: NSPasteboard) {
        self.init(name: Self.uniqueName)
        clearContents()
        let copies = (pboard.pasteboardItems ?? []).map { item in
            let copy = NSPasteboardItem()
            copy.setDataProvider(FilteredItem(item), forTypes: item.types)
            return copy
        }
        writeObjects(copies)
    }
}

/// A data provider that loads from another pasteboard.
private final class FilteredItem: NSObject, NSPasteboardItemDataProvider {
    private let source: NSPasteboardItem

    init(_ source: NSPasteboardItem) { self.source = source }

    func pasteboard(
        _ pasteboard: NSPasteboard?, item: NSPasteboardItem, provideDataForType type: NSPasteboard.PasteboardType
    ) {
        if let data = source.data(forType: type) { item.setData(data, forType: type) }
    }
}

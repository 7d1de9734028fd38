import FileCoordination
import Foundation
import ItemProvider
import UniformTypeIdentifiers

/// Pasteboards with everything that something can be turned into.
extension NSPasteboard {
    static let texts = [UTType.utf16ExternalPlainText, .utf16PlainText, .plainText].map {
        PasteboardType($0.identifier)
    }

    /// A pasteboard of a name of its own with what can be had of a file: its contents in its own type and as `fileContents`, and
    /// its URL. Without any item where there is no such file.
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

    /// A pasteboard of a name of its own with what can be had of data.
    public convenience init(byFilteringData data: Data, ofType type: NSPasteboard.PasteboardType) {
        self.init(name: Self.uniqueName)
        clearContents()
        setData(data, forType: type)
    }

    /// A pasteboard of a name of its own with what can be had of another one. It is asked for when somebody wants it.
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

/// Gives what another pasteboard has.
private final class FilteredItem: NSObject, NSPasteboardItemDataProvider {
    private let source: NSPasteboardItem

    init(_ source: NSPasteboardItem) { self.source = source }

    func pasteboard(
        _ pasteboard: NSPasteboard?, item: NSPasteboardItem, provideDataForType type: NSPasteboard.PasteboardType
    ) {
        if let data = source.data(forType: type) { item.setData(data, forType: type) }
    }
}

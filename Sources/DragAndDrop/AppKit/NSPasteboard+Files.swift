import FileCoordination
import Foundation
import ItemProvider
import UniformTypeIdentifiers

/// Files as data of a pasteboard.
extension NSPasteboard {
    /// Writes a file or folder, as `fileContents` and as the type of contents with its extension, to a pasteboard that is this
    /// process's.
    ///
    /// - Returns: `false` where the file cannot be read, or the pasteboard is not this process's.
    @discardableResult
    public func writeFileContents(_ filename: String) -> Bool {
        guard let wrapper = try? FileWrapper(url: URL(fileURLWithPath: filename)) else { return false }
        return write(wrapper)
    }

    /// Writes a file wrapper, see ``writeFileContents(_:)``.
    @discardableResult
    public func write(_ wrapper: FileWrapper) -> Bool {
        guard let data = wrapper.serializedRepresentation else { return false }
        let name = wrapper.preferredFilename ?? wrapper.filename ?? ""
        let pathExtension = (name as NSString).pathExtension
        if let type = PasteboardType.fileContentsType(forPathExtension: pathExtension) {
            guard setData(data, forType: type) else { return false }
        }
        return setData(data, forType: .fileContents)
    }

    /// Reads what ``write(_:)`` wrote; `nil` where there is none.
    public func readFileWrapper() -> FileWrapper? {
        data(forType: .fileContents).flatMap { FileWrapper(serializedRepresentation: $0) }
    }

    /// Reads a file or folder and writes it to the disk, in place of none that is there.
    ///
    /// - Parameters:
    ///   - type: `fileContents`, or the type of contents with an extension; `nil` takes the one of the name's extension and, where
    ///     that is not there, `fileContents`.
    ///   - filename: the path to write to.
    /// - Returns: the path; `nil` where there is no such file on the pasteboard, or it cannot be written.
    public func readFileContentsType(_ type: NSPasteboard.PasteboardType?, toFile filename: String) -> String? {
        let ofName = PasteboardType.fileContentsType(forPathExtension: (filename as NSString).pathExtension)
        let types = type.map { [$0] } ?? [ofName, .fileContents].compactMap { $0 }
        guard let data = types.lazy.compactMap({ self.data(forType: $0) }).first,
            let wrapper = FileWrapper(serializedRepresentation: data),
            !FileManager.default.fileExists(atPath: filename)
        else { return nil }
        do {
            try wrapper.write(to: URL(fileURLWithPath: filename), originalContentsURL: nil)
            return filename
        } catch {
            return nil
        }
    }
}

/// Pasteboards with everything that something can be turned into.
extension NSPasteboard {
    private static let texts = [UTType.utf16ExternalPlainText, .utf16PlainText, .plainText].map {
        PasteboardType($0.identifier)
    }

    /// The types of which data can be had as a type: itself and, for a string, text in other encodings.
    public class func types(filterableTo type: NSPasteboard.PasteboardType) -> [NSPasteboard.PasteboardType] {
        type == .string ? [type] + texts : [type]
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

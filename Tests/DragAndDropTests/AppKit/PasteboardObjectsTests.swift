import DragAndDrop
import Foundation
import Images
import ItemProvider
import Testing

/// An object that is read from and written to pasteboards in a type of its own.
private final class Card: NSObject, NSPasteboardReading, NSPasteboardWriting {
    static let type = NSPasteboard.PasteboardType("com.example.card")
    let number: Int

    init(number: Int) { self.number = number }

    init?(pasteboardPropertyList propertyList: Any, ofType type: NSPasteboard.PasteboardType) {
        guard let form = propertyList as? [String: Any], let number = form["number"] as? Int else { return nil }
        self.number = number
    }

    static func readableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType] { [type] }

    static func readingOptions(
        forType type: NSPasteboard.PasteboardType, pasteboard: NSPasteboard
    ) -> NSPasteboard.ReadingOptions { .asPropertyList }

    func writableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType] { [Self.type, .string, .pdf] }

    func pasteboardPropertyList(forType type: NSPasteboard.PasteboardType) -> Any? {
        switch type {
        case Self.type: ["number": number]
        case .string: "card \(number)"
        default: nil
        }
    }
}

/// An object that promises every type, and counts the requests.
private final class LateCard: NSObject, NSPasteboardWriting {
    let calls = Calls()

    func writableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType] { [.string, .pdf] }

    func writingOptions(
        forType type: NSPasteboard.PasteboardType, pasteboard: NSPasteboard
    ) -> NSPasteboard.WritingOptions { .promised }

    func pasteboardPropertyList(forType type: NSPasteboard.PasteboardType) -> Any? {
        MainActor.assumeIsolated {}
        calls.add(type.rawValue)
        return type == .string ? "late" : nil
    }
}

/// An object that reads its type as data, as a string or as an archive.
private class Note: NSObject, NSPasteboardReading {
    let read: String

    required init?(pasteboardPropertyList propertyList: Any, ofType type: NSPasteboard.PasteboardType) {
        read = propertyList is Data ? "data" : propertyList is String ? "string" : "list"
    }

    class func readableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType] { [.string] }

    class func readingOptions(
        forType type: NSPasteboard.PasteboardType, pasteboard: NSPasteboard
    ) -> NSPasteboard.ReadingOptions { .asData }
}

private final class PlainNote: Note {}

private final class ArchivedNote: Note {
    override class func readingOptions(
        forType type: NSPasteboard.PasteboardType, pasteboard: NSPasteboard
    ) -> NSPasteboard.ReadingOptions { .asKeyedArchive }
}

private final class StringNote: Note {
    override class func readingOptions(
        forType type: NSPasteboard.PasteboardType, pasteboard: NSPasteboard
    ) -> NSPasteboard.ReadingOptions { .asString }
}

@Suite struct PasteboardObjectsTests {
    private let page = URL(string: "https://example.org/a")

    @Test func objectsAreReadAsTheFirstClassThatCan() async throws {
        let programs = Programs()
        let page = try #require(page)
        try await blocking {
            programs.writer.clearContents()
            #expect(programs.writer.writeObjects([page as NSURL, "text" as NSString, Card(number: 7)]))
            for pasteboard in [programs.writer, programs.reader] {
                let both = try #require(pasteboard.readObjects(forClasses: [NSURL.self, NSString.self]))
                #expect(both.count == 3)
                #expect(both[0] as? URL == page && both[1] as? String == "text" && both[2] as? String == "card 7")
                let urls = pasteboard.readObjects(forClasses: [NSURL.self], options: nil) as? [URL]
                #expect(urls == [page])
                let cards = pasteboard.readObjects(forClasses: [Card.self, NSPasteboardItem.self])
                #expect(cards?.count == 3 && (cards?[2] as? Card)?.number == 7 && cards?[0] is NSPasteboardItem)
                #expect(pasteboard.canReadObject(forClasses: [Card.self]))
                #expect(!pasteboard.canReadObject(forClasses: [UIImage.self, UIColor.self]))
                // A type for which the object returned nothing is absent.
                #expect(pasteboard.types?.contains(.pdf) == false)
            }
        }
    }

    @Test func foundationsObjectsThereAndBack() async throws {
        let programs = Programs()
        try await blocking {
            let picture = try ImageCodec.encode(Data(repeating: 5, count: 64), width: 4, height: 4, as: .png)
            let image = try #require(UIImage(data: picture))
            let color = UIColor(red: 1, green: 0, blue: 0.5, alpha: 1)
            let text = NSAttributedString(string: "styled", attributes: [.init("weight"): 700])
            programs.writer.clearContents()
            #expect(programs.writer.writeObjects([image, color, text]))
            let classes: [AnyClass] = [UIImage.self, UIColor.self, NSAttributedString.self]
            let read = try #require(programs.reader.readObjects(forClasses: classes))
            #expect((read[0] as? UIImage)?.pngData() == picture && read[1] as? UIColor == color)
            #expect(read[2] as? NSAttributedString == text)
            #expect(programs.reader.string(forType: .string) == "styled")
            #expect(programs.reader.data(forType: .png) == picture)
            let mutable = try #require(programs.reader.readObjects(forClasses: [NSMutableString.self]))
            #expect(mutable.first is NSMutableString && mutable.count == 1)
        }
    }

    @Test func objectsAreMadeOfWhatTheyGive() throws {
        let pasteboard = Programs().writer
        let page = try #require(page)
        let url = NSURL(pasteboardPropertyList: "https://example.org/a", ofType: .URL)
        #expect(url as URL? == page && NSURL(pasteboardPropertyList: 7, ofType: .URL) == nil)
        #expect(NSString(pasteboardPropertyList: Data("x".utf8), ofType: .string) == "x")
        #expect((page as NSURL).pasteboardPropertyList(forType: .URL) as? String == "https://example.org/a")
        #expect((page as NSURL).writableTypes(for: pasteboard) == [.URL])
        #expect(NSURL.readableTypes(for: pasteboard) == [.fileURL, .URL])
        #expect(("x" as NSString).pasteboardPropertyList(forType: .string) as? String == "x")
        #expect(("x" as NSString).writingOptions(forType: .string, pasteboard: pasteboard) == [])
        #expect(NSString.readingOptions(forType: .string, pasteboard: pasteboard) == .asData)
        let item = try #require(NSPasteboardItem(pasteboardPropertyList: "x", ofType: .string))
        #expect(item.string(forType: .string) == "x" && item.pasteboardPropertyList(forType: .string) is Data)
        #expect(item.writableTypes(for: pasteboard) == [.string] && item.availableType(from: [.pdf]) == nil)
        #expect(NSPasteboardItem(pasteboardPropertyList: NSObject(), ofType: .string) == nil)
        #expect(!NSPasteboardItem.readableTypes(for: pasteboard).isEmpty)
        #expect(item.setData(Data([1]), forType: .png) && item.data(forType: .png) == Data([1]))
        #expect(item.setPropertyList([1, 2], forType: .font) && item.propertyList(forType: .font) as? [Int] == [1, 2])
    }

    @Test func urlsAreReadOfFilesOnlyWhereThatIsAskedFor() async throws {
        let programs = Programs()
        let page = try #require(page)
        try await blocking {
            let folder = try TestFolder()
            let picture = folder.url.appendingPathComponent("a.png")
            let note = folder.url.appendingPathComponent("b.txt")
            for file in [picture, note] { try Data("x".utf8).write(to: file) }
            programs.writer.clearContents()
            #expect(programs.writer.writeObjects([page as NSURL, picture as NSURL, note as NSURL]))
            for pasteboard in [programs.writer, programs.reader] {
                func read(_ options: [NSPasteboard.ReadingOptionKey: Any]) -> [URL]? {
                    pasteboard.readObjects(forClasses: [NSURL.self], options: options) as? [URL]
                }
                #expect(read([:]) == [page, picture, note])
                #expect(read([.urlReadingFileURLsOnly: true]) == [picture, note])
                #expect(read([.urlReadingFileURLsOnly: false]) == [page, picture, note])
                #expect(read([.urlReadingContentsConformToTypes: ["public.image"]]) == [picture])
                #expect(read([.urlReadingContentsConformToTypes: ["public.movie"]]) == [])
                let pdfs: [NSPasteboard.ReadingOptionKey: Any] = [.urlReadingContentsConformToTypes: ["com.adobe.pdf"]]
                #expect(!pasteboard.canReadObject(forClasses: [NSURL.self], options: pdfs))
                let images: [NSPasteboard.ReadingOptionKey: Any] = [
                    .urlReadingContentsConformToTypes: ["public.image"]
                ]
                #expect(pasteboard.canReadObject(forClasses: [NSURL.self], options: images))
                // With this option, no string is readable.
                #expect(pasteboard.canReadObject(forClasses: [NSString.self], options: images) == false)
            }
        }
    }

    @Test func urlsReadAndWriteThemselves() async throws {
        let programs = Programs()
        let page = try #require(page)
        try await blocking {
            #expect(NSURL(from: programs.reader) == nil)
            programs.writer.declareTypes([.URL], owner: nil)
            (page as NSURL).write(to: programs.writer)
            #expect(NSURL(from: programs.reader) as URL? == page)
        }
    }

    @Test func classesGetTheFormThatTheyAskFor() async throws {
        let programs = Programs()
        try await blocking {
            programs.writer.clearContents()
            programs.writer.setString("text", forType: .string)
            let read = { (aClass: AnyClass) in (programs.reader.readObjects(forClasses: [aClass])?.first as? Note)?.read
            }
            #expect(read(PlainNote.self) == "data")
            #expect(read(StringNote.self) == "string")
            // The text is not an archive, and the class cannot be unarchived.
            #expect(read(ArchivedNote.self) == nil)
        }
    }

    @Test func promisesOfObjectsAreRequestedOnce() async throws {
        let programs = Programs()
        let card = LateCard()
        let calls = card.calls
        programs.writer.clearContents()
        #expect(programs.writer.writeObjects([card]))
        try await blocking {
            #expect(programs.reader.types == [.string, .pdf] && calls.all == [])
            #expect(programs.reader.string(forType: .string) == "late")
            #expect(programs.reader.string(forType: .string) == "late")
            #expect(programs.reader.data(forType: .pdf) == nil)
        }
        #expect(calls.all == ["public.utf8-plain-text", "com.adobe.pdf"])
    }
}

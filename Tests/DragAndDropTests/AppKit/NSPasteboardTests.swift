import DragAndDrop
import Foundation
import ItemProvider
import Testing

@Suite struct NSPasteboardTests {
    @Test func oneProgramReadsTheItemsThatAnotherWrote() async throws {
        let programs = Programs()
        try await blocking {
            let (writer, reader) = (programs.writer, programs.reader)
            #expect(reader.string(forType: .string) == nil && reader.types == [] && reader.pasteboardItems == [])
            writer.clearContents()
            #expect(writer.setString("text", forType: .string))
            #expect(writer.setData(Data("<b>".utf8), forType: .html))
            #expect(writer.setPropertyList(["row": 3], forType: .init("com.example.row")))
            for pasteboard in [writer, reader] {
                #expect(pasteboard.string(forType: .string) == "text")
                #expect(pasteboard.data(forType: .html) == Data("<b>".utf8))
                #expect(pasteboard.propertyList(forType: .init("com.example.row")) as? [String: Int] == ["row": 3])
                #expect(pasteboard.propertyList(forType: .string) as? String == "text")
                #expect(pasteboard.types == [.string, .html, .init("com.example.row")])
                #expect(pasteboard.availableType(from: [.png, .html, .string]) == .html)
                #expect(pasteboard.availableType(from: [.png]) == nil && pasteboard.availableType(from: []) == nil)
                #expect(pasteboard.canReadItem(withDataConformingToTypes: ["public.text"]))
                #expect(!pasteboard.canReadItem(withDataConformingToTypes: ["public.image"]))
                #expect(pasteboard.data(forType: .png) == nil && pasteboard.string(forType: .png) == nil)
            }
        }
    }

    @Test func theSamePasteboardIsUIKits() async throws {
        let programs = Programs()
        try await blocking {
            let pasteboard = UIPasteboard(.general, programs.boards)
            programs.writer.clearContents()
            programs.writer.setString("from AppKit", forType: .string)
            #expect(pasteboard.string == "from AppKit")
            pasteboard.string = "from UIKit"
            #expect(programs.writer.string(forType: .string) == "from UIKit")
            pasteboard.url = URL(string: "https://example.org/")
            #expect(programs.reader.string(forType: .URL) == "https://example.org/")
            // Pasteboards with custom names are shared as well.
            UIPasteboard(.init("notes"), programs.boards).string = "noted"
            let notes = NSPasteboard(.init("notes"), PasteboardStore(programs.boards))
            #expect(notes.string(forType: .string) == "noted")
            let search = NSPasteboard(.find, PasteboardStore(programs.boards))
            search.clearContents()
            search.setString("needle", forType: .string)
            #expect(UIPasteboard(.init(UIPasteboardNameFind), programs.boards).string == "needle")
            #expect(programs.reader.string(forType: .URL) == "https://example.org/")
        }
    }

    @Test func takingOverRaisesTheChangeCountAndWritingDoesNot() async throws {
        let programs = Programs()
        try await blocking {
            let before = programs.reader.changeCount
            let count = programs.writer.clearContents()
            #expect(count == before + 1)
            #expect(programs.writer.writeObjects(["a" as NSString]) && programs.writer.setString("b", forType: .html))
            #expect(programs.reader.changeCount == count && programs.writer.addTypes([.png], owner: nil) == count)
            #expect(programs.writer.declareTypes([.string], owner: nil) == count + 1)
            #expect(programs.writer.prepareForNewContents(with: .currentHostOnly) == count + 2)
            #expect(programs.reader.types == [])
        }
    }

    @Test func onlyTheOwnerWrites() async throws {
        let programs = Programs()
        try await blocking {
            let (first, second) = (programs.writer, programs.reader)
            #expect(!first.setString("nobody's", forType: .string) && !first.writeObjects(["x" as NSString]))
            #expect(first.addTypes([.string], owner: nil) == 0)
            first.clearContents()
            #expect(first.setString("first", forType: .string))
            second.clearContents()
            // The first writer lost the pasteboard in the middle of its writing.
            #expect(!first.setString("late", forType: .html) && !first.setString("late", forType: .string))
            #expect(!first.writeObjects(["late" as NSString]))
            #expect(second.types == [] && first.string(forType: .string) == nil)
            #expect(second.setString("second", forType: .string))
            #expect(first.string(forType: .string) == "second")
        }
    }

    @Test func nothingThatIsWrongIsWritten() async throws {
        let programs = Programs()
        try await blocking {
            let pasteboard = programs.writer
            pasteboard.clearContents()
            #expect(!pasteboard.writeObjects([]) && !pasteboard.writeObjects([NSPasteboardItem()]))
            #expect(!pasteboard.setString("x", forType: .init("")))
            #expect(!pasteboard.setPropertyList(NSObject(), forType: .string))
            let item = NSPasteboardItem()
            #expect(item.setString("once", forType: .string))
            // Objects are written all or none, and no item twice.
            #expect(!pasteboard.writeObjects([item, NSPasteboardItem()]) && !pasteboard.writeObjects([item, item]))
            #expect(pasteboard.pasteboardItems == [])
            #expect(pasteboard.writeObjects([item]) && !pasteboard.writeObjects([item]))
            #expect(pasteboard.readObjects(forClasses: [])?.isEmpty == true)
            #expect(pasteboard.readObjects(forClasses: [NSObject.self])?.isEmpty == true)
            #expect(!pasteboard.canReadObject(forClasses: []) && !pasteboard.canReadItem(withDataConformingToTypes: []))
            #expect(pasteboard.declareTypes([], owner: nil) > 0 && pasteboard.types == [])
            #expect(pasteboard.declareTypes([.init("")], owner: nil) > 0 && pasteboard.types == [])
        }
    }

    @Test func stringsOfAllItemsAreRead() async throws {
        let programs = Programs()
        try await blocking {
            programs.writer.clearContents()
            #expect(programs.writer.writeObjects(["a" as NSString, "b" as NSString]))
            #expect(programs.reader.string(forType: .string) == "a\nb")
            #expect(programs.reader.data(forType: .string) == Data("a".utf8))
            let items = try #require(programs.reader.pasteboardItems)
            #expect(items.map { programs.reader.index(of: $0) } == [0, 1])
            #expect(programs.reader.index(of: NSPasteboardItem()) == NSNotFound)
            let own = try #require(programs.writer.pasteboardItems)
            #expect(own.map { programs.writer.index(of: $0) } == [0, 1])
            programs.writer.clearContents()
            #expect(programs.writer.index(of: own[0]) == NSNotFound)
            #expect(programs.reader.index(of: items[0]) == NSNotFound)
        }
    }

    @Test func textInAnotherEncodingIsAString() async throws {
        let programs = Programs()
        try await blocking {
            let type = NSPasteboard.PasteboardType("public.utf16-external-plain-text")
            programs.writer.clearContents()
            #expect(programs.writer.setString("Grüße", forType: type))
            for pasteboard in [programs.writer, programs.reader] {
                #expect(pasteboard.types == [type, .string])
                #expect(pasteboard.string(forType: .string) == "Grüße" && pasteboard.string(forType: type) == "Grüße")
                #expect(pasteboard.data(forType: .string) == Data("Grüße".utf8))
            }
        }
    }

    @Test func pasteboardsAreKnownByTheirNames() async throws {
        #expect(NSPasteboard.general.name == .general && NSPasteboard.general === NSPasteboard.general)
        #expect(NSPasteboard(name: .find) == NSPasteboard(name: .find))
        #expect(NSPasteboard(name: .find).hash == NSPasteboard(name: .find).hash)
        #expect(NSPasteboard(name: .font) != NSPasteboard(name: .ruler))
        #expect(NSPasteboard.withUniqueName().name != NSPasteboard.withUniqueName().name)
        let programs = Programs()
        try await blocking {
            let store = PasteboardStore(programs.boards)
            let own = NSPasteboard(.init("own"), store)
            own.clearContents()
            own.setString("mine", forType: .string)
            #expect(own.string(forType: .string) == "mine" && programs.writer.types == [])
            own.releaseGlobally()
            #expect(own.types == [])
            programs.writer.clearContents()
            programs.writer.setString("stays", forType: .string)
            programs.writer.releaseGlobally()
            #expect(programs.reader.string(forType: .string) == "stays")
        }
    }

    @Test func draggedItemsAreOnTheDragPasteboard() async throws {
        let programs = Programs()
        try await blocking {
            let control = NSItemProvider()
            control.registerDataRepresentation(
                forTypeIdentifier: "org.purvey.drag-session", visibility: .all
            ) { completion in
                completion(Data(), nil)
                return nil
            }
            _ = programs.boards.replace(
                "drag", with: [NSItemProvider(object: "dragged" as NSString), control], staysAfterwards: false)
            let drag = NSPasteboard(.drag, PasteboardStore(programs.boards))
            #expect(drag.pasteboardItems?.count == 1 && drag.string(forType: .string) == "dragged")
        }
    }
}

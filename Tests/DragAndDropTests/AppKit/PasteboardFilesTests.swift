import DragAndDrop
import FileCoordination
import Foundation
import ItemProvider
import Testing

@Suite struct PasteboardFilesTests {
    @Test func filesAndFoldersCrossAsTheirContents() async throws {
        let programs = Programs()
        try await blocking {
            let folder = try TestFolder()
            let tree = folder.url.appendingPathComponent("tree")
            try FileManager.default.createDirectory(at: tree, withIntermediateDirectories: true)
            try Data("leaf".utf8).write(to: tree.appendingPathComponent("leaf.txt"))
            let leaf = tree.appendingPathComponent("leaf.txt").path
            #expect(!programs.writer.writeFileContents(leaf))
            programs.writer.declareTypes([.fileContents], owner: nil)
            #expect(programs.writer.writeFileContents(leaf))
            #expect(programs.reader.readFileWrapper()?.regularFileContents == Data("leaf".utf8))
            #expect(programs.reader.types?.compactMap(\.representedPathExtension) == ["txt"])
            let copy = folder.url.appendingPathComponent("copy.txt").path
            #expect(programs.reader.readFileContentsType(nil, toFile: copy) == copy)
            #expect(FileManager.default.contents(atPath: copy) == Data("leaf".utf8))
            // An existing file is not replaced, and failures to write are reported.
            #expect(programs.reader.readFileContentsType(.fileContents, toFile: copy) == nil)
            #expect(programs.reader.readFileContentsType(nil, toFile: copy + "/x/y") == nil)
            #expect(programs.reader.readFileContentsType(.pdf, toFile: copy + ".pdf") == nil)
            #expect(!programs.writer.writeFileContents("/nowhere/at/all"))
            programs.writer.clearContents()
            #expect(programs.writer.write(try FileWrapper(url: tree)))
            #expect(programs.reader.readFileWrapper()?.fileWrappers?.keys.sorted() == ["leaf.txt"])
            programs.writer.clearContents()
            #expect(programs.writer.setData(Data("no file".utf8), forType: .fileContents))
            #expect(programs.reader.readFileWrapper() == nil)
            #expect(programs.reader.readFileContentsType(.fileContents, toFile: copy + "2") == nil)
        }
    }

    @Test func brokenPropertyListsOfOthersAreNoHarm() async throws {
        let programs = Programs()
        // An array that contains itself, and truncated lists.
        var circle = Data("bplist00".utf8) + [0xA1, 0x00, 0x08] + Data(count: 6) + [0x01, 0x01]
        for number in [UInt8(1), 0, 10] { circle += Data(count: 7) + [number] }
        let lists = [circle, circle.prefix(20), Data("bplist00".utf8), Data("<plist>".utf8), Data()]
        try await blocking {
            for list in lists {
                programs.writer.clearContents()
                #expect(programs.writer.setData(list, forType: .fileContents))
                #expect(programs.reader.readFileWrapper() == nil)
                #expect(programs.reader.readFileContentsType(nil, toFile: "/nowhere/a") == nil)
                #expect(!(programs.reader.propertyList(forType: .fileContents) is [Any]))
            }
        }
    }

    @Test func aStringCanBeHadOfOtherText() {
        #expect(NSPasteboard.types(filterableTo: .string).first == .string)
        #expect(NSPasteboard.types(filterableTo: .string).count > 1)
        #expect(NSPasteboard.types(filterableTo: .png) == [.png])
    }

    @Test func itemsTellWhereTheyComeFromWhereThatIsKnown() {
        let provider = NSItemProvider()
        #expect(provider.sourceFrame == .zero && provider.containerFrame == .zero)
        #expect(provider.preferredPresentationSize == .zero)
        provider.sourceFrame = NSRect(x: 1, y: 2, width: 3, height: 4)
        provider.containerFrame = NSRect(x: 0, y: 0, width: 9, height: 9)
        #expect(provider.sourceFrame.size == NSSize(width: 3, height: 4) && provider.containerFrame.width == 9)
    }
}

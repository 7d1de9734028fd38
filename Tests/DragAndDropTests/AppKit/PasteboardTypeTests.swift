import DragAndDrop
import Foundation
import Testing
import UniformTypeIdentifiers

@Suite struct PasteboardTypeTests {
    @Test func typesAreNamedAsAppleNamesThem() {
        let names: [(NSPasteboard.PasteboardType, String)] = [
            (.string, "public.utf8-plain-text"), (.pdf, "com.adobe.pdf"), (.tiff, "public.tiff"),
            (.png, "public.png"), (.rtf, "public.rtf"), (.rtfd, "com.apple.flat-rtfd"), (.html, "public.html"),
            (.tabularText, "public.utf8-tab-separated-values-text"),
            (.font, "com.apple.cocoa.pasteboard.character-formatting"),
            (.ruler, "com.apple.cocoa.pasteboard.paragraph-formatting"),
            (.color, "com.apple.cocoa.pasteboard.color"), (.sound, "com.apple.cocoa.pasteboard.sound"),
            (.multipleTextSelection, "com.apple.cocoa.pasteboard.multiple-text-selection"),
            (.textFinderOptions, "com.apple.cocoa.pasteboard.find-panel-search-options"), (.URL, "public.url"),
            (.fileURL, "public.file-url"), (.fileContents, "NXFileContentsPboardType"),
        ]
        for (type, name) in names {
            #expect(type.rawValue == name && type == NSPasteboard.PasteboardType(rawValue: name))
        }
        #expect(UTType(NSPasteboard.PasteboardType.tiff.rawValue) == .tiff)
        #expect(Set(names.map(\.0)).count == names.count)
    }

    @Test func pasteboardsAreNamedAsAppleNamesThem() {
        #expect(NSPasteboard.Name.general.rawValue == "Apple CFPasteboard general")
        #expect(NSPasteboard.Name.find == NSPasteboard.Name(rawValue: "Apple CFPasteboard find"))
        #expect(NSPasteboard.Name.font != .ruler && NSPasteboard.Name.drag != NSPasteboard.Name("drag"))
        #expect(NSPasteboard.ReadingOptionKey.urlReadingFileURLsOnly != .urlReadingContentsConformToTypes)
        #expect(NSPasteboard.ReadingOptionKey(rawValue: "a").rawValue == "a")
        #expect(NSPasteboard.ContentsOptions.currentHostOnly.rawValue == 1)
        #expect(NSPasteboard.WritingOptions.promised.rawValue == 1 << 9)
        #expect(NSPasteboard.ReadingOptions.asKeyedArchive.rawValue == 4 && NSPasteboard.ReadingOptions.asData == [])
        #expect(NSPasteboard.ReadingOptions.asString.union(.asPropertyList).rawValue == 3)
    }

    @Test func typesOfFilesKnowTheirExtension() {
        let names = NSPasteboard.PasteboardType.fileNameType(forPathExtension: "txt")
        let contents = NSPasteboard.PasteboardType.fileContentsType(forPathExtension: "txt")
        #expect(names != contents && names?.representedPathExtension == "txt")
        #expect(
            contents?.representedPathExtension == "txt"
                && NSPasteboard.PasteboardType.string.representedPathExtension == nil)
        #expect(NSPasteboard.PasteboardType.fileNameType(forPathExtension: "") == nil)
        #expect(NSPasteboard.PasteboardType.fileContentsType(forPathExtension: "") == nil)
        let all = [names, contents, .fileContentsType(forPathExtension: "md"), .string].compactMap { $0 }
        #expect(NSPasteboard.PasteboardType.representedPathExtensions(from: all) == ["txt", "md"])
        #expect(NSPasteboard.PasteboardType.representedPathExtensions(from: [.string]) == nil)
        #expect(NSPasteboard.PasteboardType("NXTypedFilenamePboardType:").representedPathExtension == nil)
    }
}

import Foundation
import Glibc
import Testing
import UniformTypeIdentifiers

/// The signature of PNG and a header of one pixel.
private let png = Data([
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1, 8, 2,
    0,
    0, 0,
])

@Suite struct FileTypeTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func contentType(_ url: URL) throws -> UTType? {
        try url.resourceValues(forKeys: [.contentTypeKey]).contentType
    }

    @Test func theResourceValueOfAFileIsTheTypeOfItsName() throws {
        #expect(try contentType(folder.file("a.jpg")) == .jpeg)
        #expect(try contentType(folder.file("b.PNG", "no PNG at all")) == .png)
        #expect(try contentType(folder.file("c.swift", "let a = 1")) == .swiftSource)
        #expect(try contentType(folder.file("d.txt", "text")) == .plainText)
        #expect(try contentType(folder.file("e.tar.gz"))?.conforms(to: .gzip) == true)
    }

    @Test func theResourceValueOfAFileWithoutExtensionIsTheTypeOfItsContent() throws {
        #expect(try contentType(folder.file("picture", png)) == .png)
        #expect(try contentType(folder.file("letter", "Dear all,\n")) == .plainText)
        #expect(try contentType(folder.file("page", "<!DOCTYPE html><html></html>")) == .html)
        #expect(try contentType(folder.file("script", "#!/bin/sh\nexit 0\n"))?.conforms(to: .script) == true)
        #expect(try contentType(folder.file("nothing")) == .data)
        #expect(try contentType(folder.file("noise", Data([0, 1, 2, 3, 0xFF, 0]))) == .data)
    }

    @Test func aNameSettlesItThatSaysMoreThanItsExtension() throws {
        #expect(try contentType(folder.file("Makefile", "all:\n")) == .makefile)
        #expect(UTType.type(ofFileName: "CMakeLists.txt").preferredMIMEType == "text/x-cmake")
        #expect(UTType.type(ofFileName: "a/b.c/photo.JPG") == .jpeg)
        #expect(UTType.type(ofFileName: "main.C") == .cPlusPlusSource)
        #expect(UTType.type(ofFileName: "main.c") == .cSource)
        #expect(UTType.type(ofFileName: "nothing") == .data)
        #expect(UTType.type(ofFileName: "") == .data)
        #expect(UTType.type(ofFileName: "x.nobodyknows").isDynamic)
    }

    @Test func anUnknownExtensionIsADynamicTypeAndGivesWayToContentInAGuess() throws {
        let unknown = try #require(UTType(filenameExtension: "nobodyknows"))
        #expect(unknown.isDynamic)
        let picture = try folder.file("a.nobodyknows", png)
        let text = try folder.file("b.nobodyknows", "text")
        let noise = try folder.file("c.nobodyknows", Data([0, 1, 2]))
        let nothing = try folder.file("d.nobodyknows")
        for file in [picture, text, noise, nothing] {
            #expect(try contentType(file) == unknown)
        }
        #expect(try UTType.type(ofItemAt: picture.path) == .png)
        #expect(try UTType.type(ofItemAt: text.path) == .plainText)
        #expect(try UTType.type(ofItemAt: noise.path) == unknown)
        #expect(try UTType.type(ofItemAt: nothing.path) == unknown)
    }

    @Test func contentDecidesBetweenTheMeaningsOfAnExtension() throws {
        // The system declares .scn as a SceneKit scene and .bin as MacBinary; in the database these extensions have
        // other meanings.
        #expect(try contentType(folder.file("a.bin", png)) == .png)
        #expect(
            try contentType(folder.file("b.ts", "G" + String(repeating: "\u{1}", count: 200)))?.identifier
                == "public.mpeg-2-transport-stream")
        let translation = "<?xml version=\"1.0\"?>\n<!DOCTYPE TS>\n<TS version=\"2.1\"></TS>\n"
        #expect(try contentType(folder.file("c.ts", translation))?.preferredMIMEType == "text/vnd.trolltech.linguist")
    }

    @Test func directoriesAreFoldersOrPackages() throws {
        #expect(try contentType(folder.folder("plain")) == .folder)
        #expect(try contentType(folder.folder("with.dot")) == .folder)
        #expect(try contentType(folder.folder("Thing.app")) == .applicationBundle)
        #expect(try contentType(folder.folder("Notes.rtfd")) == .rtfd)
        #expect(try contentType(folder.folder("Kit.framework")) == .framework)
        // A picture's extension has no meaning for a directory.
        #expect(try contentType(folder.folder("holiday.jpg")) == .folder)
        #expect(try UTType(contentsOf: folder.folder("Other.app")) == .applicationBundle)
    }

    @Test func aSymbolicLinkIsOneWhateverItLeadsTo() throws {
        let file = try folder.file("file.jpg")
        for (name, target) in [("a", file.path), ("b.jpg", "/nonexistent"), ("c", folder.url.path)] {
            let link = folder.url.appendingPathComponent(name, isDirectory: false)
            try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: target)
            #expect(try contentType(link) == .symbolicLink)
            #expect(try UTType(contentsOf: link) == .symbolicLink)
        }
    }

    @Test func otherKindsOfItemsHaveTheirOwnTypes() throws {
        let pipe = folder.url.appendingPathComponent("pipe.jpg", isDirectory: false)
        try #require(mkfifo(pipe.path, 0o600) == 0)
        // Reading the type must not wait for a writer.
        #expect(try UTType(contentsOf: pipe).identifier == "public.named-pipe")
        #expect(try contentType(pipe)?.identifier == "public.named-pipe")
        #expect(try contentType(URL(fileURLWithPath: "/dev/null"))?.identifier == "public.character-special")

        let path = folder.url.appendingPathComponent("s").path
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        try #require(path.utf8.count < MemoryLayout.size(ofValue: address.sun_path))
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        #expect(try UTType(contentsOf: URL(fileURLWithPath: path)).identifier == "public.socket")
    }

    @Test func anExecutableWithoutExtensionIsOne() throws {
        #expect(
            try UTType(contentsOf: URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath())
                .conforms(to: .executable))
        let odd = try folder.file("odd", Data([0, 1, 2]))
        try #require(chmod(odd.path, 0o755) == 0)
        #expect(try contentType(odd) == .unixExecutable)
    }

    @Test func aMissingItemIsAnError() throws {
        let missing = folder.url.appendingPathComponent("missing.jpg")
        #expect { try missing.resourceValues(forKeys: [.contentTypeKey]) } throws: { error in
            (error as? CocoaError)?.code == .fileReadNoSuchFile
        }
        #expect { try UTType(contentsOf: missing) } throws: { error in
            (error as? CocoaError)?.code == .fileReadNoSuchFile && (error as? CocoaError)?.filePath == missing.path
        }
        #expect { try UTType(contentsOf: #require(URL(string: "https://example.com/a.jpg"))) } throws: { error in
            (error as? CocoaError)?.code == .fileReadUnsupportedScheme
        }
    }

    @Test func aSetOfKeysInAVariableGivesTheTypeToo() throws {
        let file = try folder.file("a.jpg", "0123456789")
        let keys: Set<URLResourceKey> = [.contentTypeKey, .isDirectoryKey, .fileSizeKey]
        let values = try file.resourceValues(forKeys: keys)
        #expect(values.contentType == .jpeg)
        #expect(values.fileSize == 10 && values.isDirectory == false)
        for case let found as URL in try #require(
            FileManager.default.enumerator(at: folder.url, includingPropertiesForKeys: [.contentTypeKey]))
        {
            #expect(try found.resourceValues(forKeys: keys).contentType == .jpeg)
        }
        #expect(try file.resourceValues(forKeys: [.fileSizeKey] as Set).contentType == nil)
    }

    @Test func theTypeIdentifierIsAnsweredWithTheOtherValues() throws {
        let file = try folder.file("a.jpg", "0123456789")
        let values = try file.resourceValues(forKeys: [.typeIdentifierKey, .fileSizeKey, .contentTypeKey])
        #expect(values.typeIdentifier == "public.jpeg")
        #expect(values.fileSize == 10)
        #expect(values.contentType == .jpeg)
        #expect(try file.resourceValues(forKeys: [.typeIdentifierKey]).typeIdentifier == "public.jpeg")
        #expect(try file.resourceValues(forKeys: [.fileSizeKey]).typeIdentifier == nil)
    }

    @Test func theContentIsReadWhateverTheName() throws {
        #expect(try UTType(contentsOf: folder.file("a.txt", png)) == .png)
        #expect(try UTType(contentsOf: folder.file("b.png", "plain text")) == .plainText)
        #expect(try UTType(contentsOf: folder.file("c", "%PDF-1.4\n")) == .pdf)
        #expect(png.withUnsafeBytes { UTType.type(ofContent: $0) } == .png)
    }
}

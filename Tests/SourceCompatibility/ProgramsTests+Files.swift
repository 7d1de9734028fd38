import Foundation
import Testing
import UniformTypeIdentifiers

extension ProgramsTests {
    @Test func aFileIsTakenOutOfItsPromise() async throws {
        let file = try TemporaryFile("letter.pdf", Data("%PDF-1.4".utf8))
        let provider = FilePromises.promise(file.url, as: .pdf)
        #expect(provider.suggestedName == "letter")
        let inbox = try TemporaryFile("x", Data())
        let copy = try await withCheckedThrowingContinuation { continuation in
            _ = FilePromises.copy(provider, into: inbox.folder) { continuation.resume(with: $0) }
        }
        #expect(copy.lastPathComponent == "letter.pdf")
        let moved = await withCheckedContinuation { continuation in
            FilePromises.move(provider, into: inbox.folder) { continuation.resume(returning: $0) }
        }
        #expect(moved?.pathExtension == "pdf")
        let link = inbox.folder.appendingPathComponent("link.pdf")
        let isLinked = await withCheckedContinuation { continuation in
            FilePromises.link(provider, to: link) { continuation.resume(returning: $0) }
        }
        #expect(isLinked)
        for taken in [copy, try #require(moved), link] {
            #expect(try Data(contentsOf: taken) == Data("%PDF-1.4".utf8))
        }
        let opened = await withCheckedContinuation { continuation in
            FilePromises.open(provider) { url, isInPlace in continuation.resume(returning: (url, isInPlace)) }
        }
        #expect(opened == (file.url, true))
    }

    @Test func dataIsTakenAsAFileWithAName() async throws {
        let inbox = try TemporaryFile("x", Data())
        let provider = NSItemProvider(item: Pixel.png as NSData, typeIdentifier: "public.png")
        provider.suggestedName = "Dot"
        let copy = try await withCheckedThrowingContinuation { continuation in
            _ = FilePromises.copy(provider, into: inbox.folder) { continuation.resume(with: $0) }
        }
        #expect(copy.lastPathComponent == "Dot.png")
        let opened = await withCheckedContinuation { continuation in
            FilePromises.open(provider) { url, isInPlace in continuation.resume(returning: (url != nil, isInPlace)) }
        }
        #expect(opened == (true, false))
        await #expect(throws: NSError.self) {
            try await withCheckedThrowingContinuation { continuation in
                _ = FilePromises.copy(NSItemProvider(), into: inbox.folder) { continuation.resume(with: $0) }
            }
        }
    }

    @Test func loadsAreChildrenOfOneProgress() async throws {
        let providers = (0..<5).map { NSItemProvider(object: "\($0)" as NSString) } + [NSItemProvider()]
        // Only the loads and this test retain the progress.
        let box = ProgressBox()
        let count = await withCheckedContinuation { continuation in
            box.progress = FilePromises.loadAll(providers) { continuation.resume(returning: $0) }
        }
        #expect(count == 6)
        #expect(box.progress?.isFinished == true)
        #expect(box.progress?.fractionCompleted == 1)
    }

    @Test func aURLAloneMakesAProvider() throws {
        let page = FilePromises.provider(of: try #require(URL(string: "about:blank")))
        #expect(page.registeredTypeIdentifiers == ["public.url"])
        #expect(page.canLoadObject(ofClass: URL.self) && !page.canLoadObject(ofClass: UIImage.self))
        let file = try TemporaryFile("p.png", Pixel.png)
        #expect(FilePromises.provider(of: file.url).registeredTypeIdentifiers == ["public.png", "public.file-url"])
        let group = try #require(FilePromises.inbox("group.org.example.inbox"))
        #expect(group.lastPathComponent == "Inbox")
        try? FileManager.default.removeItem(at: group.deletingLastPathComponent())
    }

    @Test func typesAreAskedAsProgramsAskThem() throws {
        #expect(DeclaredTypes.mimeType("png") == "image/png")
        #expect(DeclaredTypes.mimeType("no such thing") == "application/octet-stream")
        #expect(DeclaredTypes.pathExtension("image/jpeg") == "jpeg")
        #expect(DeclaredTypes.pathExtension("nonsense") == nil)
        for (name, kind) in [
            ("a.pdf", "document"), ("a.JPG", "picture"), ("a.mov", "media"), ("a.swift", "text"), ("a.zip", "file"),
            ("a.nobody-knows", "unknown"),
        ] {
            #expect(DeclaredTypes.kind(URL(fileURLWithPath: "/" + name)) == kind, "\(name)")
        }
        #expect(DeclaredTypes.isPicture(NSItemProvider(item: Pixel.png as NSData, typeIdentifier: "public.png")))
        #expect(!DeclaredTypes.isPicture(NSItemProvider(object: "a" as NSString)))
        let file = try TemporaryFile("p.png", Pixel.png)
        try FileManager.default.createDirectory(
            at: file.folder.appendingPathComponent("d"), withIntermediateDirectories: false)
        #expect(try DeclaredTypes.types(in: file.folder) == ["p.png": .png, "d": .folder])
        #expect(DeclaredTypes.identifier(file.url) == "public.png")
        #expect(DeclaredTypes.conforms(file.url, to: .image) && !DeclaredTypes.conforms(file.url, to: .text))
        #expect(DeclaredTypes.export(file.folder, "name").lastPathComponent == "name.png")
        #expect(DeclaredTypes.group([.png, .gif, .png]) == ["com.compuserve.gif", "public.png"])
        #expect(DeclaredTypes.package("x-made-up").conforms(to: .package))
        #expect(DeclaredTypes.olderMIMEType("/a/b.png") == "image/png")
        #expect(DeclaredTypes.olderMIMEType("/a/b") == nil)
        #expect(DeclaredTypes.olderConformance("public.jpeg") && !DeclaredTypes.olderConformance("public.text"))
        #expect(UTType.notebook.identifier == "com.example.notebook" && UTType.plain.identifier == "my file type")
        #expect(UTType.notebook == UTType(exportedAs: "com.example.notebook") && UTType.page != .notebook)
        #expect(!UTType.markdown.identifier.isEmpty && "\(UTType.png)" == "public.png")
    }
}

private final class ProgressBox: @unchecked Sendable { var progress: Progress? }

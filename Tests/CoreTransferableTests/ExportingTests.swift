import CoreTransferable
import Foundation
import Testing
import UniformTypeIdentifiers

@Suite final class ExportingTests {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func file(_ name: String, _ text: String) throws -> URL {
        let url = folder.appendingPathComponent(name)
        try Data(text.utf8).write(to: url)
        return url
    }

    @Test func contentTypesAreThoseDeclaredInTheirOrder() {
        #expect(Profile.exportedContentTypes() == [.profile, .utf8PlainText])
        #expect(Profile.importedContentTypes() == [.profile])
        #expect(Profile(text: "").exportedContentTypes() == [.profile, .utf8PlainText])
        #expect(Profile(text: "").importedContentTypes() == [.profile])
        #expect(Note.exportedContentTypes() == [.utf8PlainText])
        #expect(Note.importedContentTypes() == [.utf8PlainText])
        #expect(Picture.importedContentTypes() == [.png, .image])
    }

    @Test func whatIsHiddenIsNotListedForEverybody() {
        #expect(Picture.exportedContentTypes() == [.png])
        #expect(Picture.exportedContentTypes(visibility: .all) == [.png])
        #expect(Picture.exportedContentTypes(visibility: .ownProcess) == [.png, .jpeg])
        #expect(Picture(bytes: Data()).exportedContentTypes(.team) == [.png])
        #expect(TransferRepresentationVisibility.team != .group)
    }

    @Test func aConditionIsAskedOfAValueAndNotOfItsType() async throws {
        #expect(Report.exportedContentTypes().first == .html)
        #expect(Report(title: "a").exportedContentTypes().first == .html)
        #expect(Report(title: "a", isSecret: true).exportedContentTypes() == [.pdf, .plainText, .json])
        #expect(try await Report(title: "a", isSecret: true).exported(as: .text) == Data("a".utf8))
    }

    @Test func theFirstRepresentationThatFitsIsExported() async throws {
        #expect(try await Profile(text: "x").exported(as: nil) == Data(#"{"text":"x"}"#.utf8))
        #expect(try await Profile(text: "x").exported(as: .json) == Data(#"{"text":"x"}"#.utf8))
        #expect(try await Profile(text: "x").exported(as: .plainText) == Data("x".utf8))
        await #expect(throws: (any Error).self) { try await Profile(text: "x").exported(as: .png) }
        #expect(try await Note(text: "n").exported(as: nil) == Data("n".utf8))
    }

    @Test func anExporterThatThrowsFailsTheExport() async {
        do {
            _ = try await Report(title: "a").exported(as: .pdf)
            Issue.record("it was exported")
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            #expect(cause?.code == CocoaError.fileNoSuchFile.rawValue)
        }
    }

    @Test func aFileIsExportedIntoADirectory() async throws {
        let pdf = try file("source.bin", "%PDF")
        let report = Report(title: "Year/End", url: pdf)
        let first = try await report.export(to: folder, contentType: .pdf)
        #expect(first.lastPathComponent == "Year_End.pdf")
        #expect(try Data(contentsOf: first) == Data("%PDF".utf8))
        let second = try await report.export(to: folder, contentType: .pdf)
        #expect(second.lastPathComponent == "Year_End 2.pdf")
        #expect(FileManager.default.fileExists(atPath: pdf.path))
        let gone = folder.appendingPathComponent("gone")
        await #expect(throws: (any Error).self) { try await report.export(to: gone, contentType: .pdf) }
    }

    @Test func everyRepresentationIsLentAsAFile() async throws {
        let path = try await Profile(text: "x").withExportedFile(contentType: nil) { url in
            let contents = try Data(contentsOf: url)
            #expect(contents == Data(#"{"text":"x"}"#.utf8))
            return url.path
        }
        #expect(!FileManager.default.fileExists(atPath: path))
        let text = try await Note(text: "n").withExportedFile(contentType: .plainText) { try Data(contentsOf: $0) }
        #expect(text == Data("n".utf8))
        await #expect(throws: CocoaError.self) {
            try await Note(text: "n").withExportedFile(contentType: nil) { _ in throw CocoaError(.coderInvalidValue) }
        }
    }

    @Test func aFolderIsExportedAsATreeAndAsAZip() async throws {
        let tree = folder.appendingPathComponent("Tree")
        try FileManager.default.createDirectory(at: tree, withIntermediateDirectories: true)
        try Data("a".utf8).write(to: tree.appendingPathComponent("a.txt"))
        let folder = Folder(url: tree)
        #expect(try await folder.exported(as: nil).starts(with: Data("PK".utf8)))
        let copy = try await folder.export(to: self.folder, contentType: nil)
        #expect(copy.lastPathComponent == "Tree 2")
        #expect(try FileManager.default.contentsOfDirectory(atPath: copy.path) == ["a.txt"])
    }

    @Test func aNameCanBeReadFromAnyRepresentation() {
        #expect(Picture(bytes: Data()).suggestedFilename == "Picture")
        #expect(Report(title: "T").suggestedFilename == "T.html")
        #expect(Report(title: "T", isSecret: true).suggestedFilename == "T")
        #expect(Note(text: "").suggestedFilename == nil)
    }

    @Test func aProxyOfItselfIsAnErrorAndNoEndlessLoop() async {
        #expect(Ouroboros.exportedContentTypes() == [])
        do {
            _ = try await Ouroboros().exported(as: nil)
            Issue.record("it was exported")
        } catch {
            #expect("\(error)".contains("proxy of itself"))
        }
    }

    @Test func typesOfOthersCanBeMadeTransferable() async throws {
        let identifier = UUID()
        #expect(try await identifier.exported(as: nil) == Data(identifier.uuidString.utf8))
    }

    @Test func aSentFileIsACopyUnlessItsSenderSaysOtherwise() {
        let url = URL(fileURLWithPath: "/a")
        #expect(SentTransferredFile(url).file == url)
        #expect(!SentTransferredFile(url).allowAccessingOriginalFile)
        #expect(SentTransferredFile(url, allowAccessingOriginalFile: true).allowAccessingOriginalFile)
    }

    struct Folder: Transferable {
        var url: URL
        static var transferRepresentation: some TransferRepresentation {
            FileRepresentation(exportedContentType: .folder) { SentTransferredFile($0.url) }
        }
    }
}

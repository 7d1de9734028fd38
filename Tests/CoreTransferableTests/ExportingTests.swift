import CoreTransferable
import Foundation
import ItemProvider
import Synchronization
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

    @Test func hiddenItemsAreNotListedForOthers() {
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

    @Test func onlyAFolderOfFilesIsExportedInto() async throws {
        let web = try #require(URL(string: "https://example.org\(folder.path)"))
        do {
            _ = try await Profile(text: "x").export(to: web, contentType: nil)
            Issue.record("it was exported")
        } catch {
            #expect((error as? CocoaError)?.code == .fileWriteUnsupportedScheme)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        for name in ["gone", "file"] {
            let place = folder.appendingPathComponent(name)
            if name == "file" { try Data().write(to: place) }
            do {
                _ = try await Profile(text: "x").export(to: place, contentType: nil)
                Issue.record("it was exported")
            } catch {
                #expect((error as NSError).userInfo[NSFilePathErrorKey] as? String == place.path)
            }
        }
    }

    @Test func aSentURLMustBeAFile() async throws {
        struct Astray: Transferable {
            var url: URL
            static var transferRepresentation: some TransferRepresentation {
                FileRepresentation(exportedContentType: .png) { SentTransferredFile($0.url) }
            }
        }
        let sent = try file("a.png", "p")
        let web = try #require(URL(string: "https://example.org\(sent.path)"))
        await #expect(throws: (any Error).self) { try await Astray(url: web).exported(as: nil) }
        await #expect(throws: (any Error).self) {
            try await Astray(url: web).withExportedFile(contentType: nil) { $0.path }
        }
        let gone = folder.appendingPathComponent("gone.png")
        do {
            _ = try await Astray(url: gone).exported(as: nil)
            Issue.record("it was exported")
        } catch {
            #expect((error as NSError).localizedFailureReason?.contains(gone.path) == true)
        }
    }

    @Test func aLongNameThatIsTakenIsShortened() async throws {
        struct Long: Transferable {
            var name: String
            static var transferRepresentation: some TransferRepresentation {
                DataRepresentation(exportedContentType: .png) { (_: Long) in Data("p".utf8) }
                    .suggestedFileName(\.name)
            }
        }
        let long = Long(name: String(repeating: "é", count: 125) + "a.png")
        #expect(long.name.utf8.count == 255)
        let first = try await long.export(to: folder, contentType: nil)
        #expect(first.lastPathComponent == long.name)
        let second = try await long.export(to: folder, contentType: nil)
        #expect(second.lastPathComponent == String(repeating: "é", count: 124) + " 2.png")
        for _ in 3..<12 { _ = try await long.export(to: folder, contentType: nil) }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.count == 11)
        #expect(names.allSatisfy { $0.utf8.count <= 255 && $0.hasSuffix(".png") })
    }

    @Test func aCancelledExportLeavesNothing() async throws {
        struct Cancelling: Transferable {
            static var transferRepresentation: some TransferRepresentation {
                DataRepresentation(exportedContentType: .png) { (_: Cancelling) in Data("p".utf8) }
                    .exportingCondition { _ in
                        withUnsafeCurrentTask { $0?.cancel() }
                        return true
                    }
            }
        }
        let folder = folder
        let export = Task { try await Cancelling().export(to: folder, contentType: nil) }
        do {
            _ = try await export.value
            Issue.record("it was exported")
        } catch {
            #expect((error as? CocoaError)?.code == .userCancelled)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func aTeamsItemsAreVisibleToItsGroup() {
        struct Shared: Transferable {
            static var transferRepresentation: some TransferRepresentation {
                DataRepresentation(exportedContentType: .png) { (_: Shared) in Data() }.visibility(.group)
                DataRepresentation(exportedContentType: .gif) { (_: Shared) in Data() }.visibility(.team)
            }
        }
        #expect(Shared.exportedContentTypes() == [])
        #expect(Shared.exportedContentTypes(visibility: .team) == [.png, .gif])
        #expect(Shared.exportedContentTypes(visibility: .group) == [.png, .gif])
    }

    @Test func hiddenRepresentationsStayHiddenUnderModifiersAndProxies() {
        struct Hidden: Transferable {
            static var transferRepresentation: some TransferRepresentation {
                DataRepresentation(exportedContentType: .png) { (_: Hidden) in Data() }
                    .visibility(.ownProcess)
                    .visibility(.team)
                    .suggestedFileName("x")
                DataRepresentation(exportedContentType: .gif) { (_: Hidden) in Data() }
            }
        }
        struct Proxy: Transferable {
            static var transferRepresentation: some TransferRepresentation {
                ProxyRepresentation(exporting: { (_: Proxy) in Hidden() }).visibility(.all)
            }
        }
        #expect(Hidden.exportedContentTypes(visibility: .team) == [.gif])
        #expect(Hidden.exportedContentTypes(visibility: .ownProcess) == [.png, .gif])
        #expect(Proxy.exportedContentTypes(visibility: .group) == [.gif])
        #expect(Proxy.exportedContentTypes(visibility: .ownProcess) == [.png, .gif])
    }

    @Test func noCopyIsLeftBehind() async throws {
        let sent = try file("sent.bin", "sent")
        let report = Report(title: "T", url: sent)
        let seen = Mutex<[String]>([])
        for isFailing in [false, true] {
            try? await report.withExportedFile(contentType: .pdf) { url in
                seen.withLock { $0.append(url.deletingLastPathComponent().path) }
                if isFailing { throw CocoaError(.featureUnsupported) }
            }
        }
        struct Look: Transferable {
            static let folder = Mutex("")
            static var transferRepresentation: some TransferRepresentation {
                FileRepresentation(importedContentType: .pdf) { received -> Look in
                    folder.withLock { $0 = received.file.deletingLastPathComponent().path }
                    throw CocoaError(.featureUnsupported)
                }
            }
        }
        _ = try? await Look(importing: Data("p".utf8), contentType: .pdf)
        seen.withLock { $0.append(Look.folder.withLock { $0 }) }
        let provider = NSItemProvider()
        provider.register(report)
        _ = try? await provider.transferable(Look.self)
        seen.withLock { $0.append(Look.folder.withLock { $0 }) }
        let folders = seen.withLock { $0 }
        #expect(Set(folders).count == 4)
        #expect(folders.allSatisfy { !FileManager.default.fileExists(atPath: $0) })
        #expect(FileManager.default.fileExists(atPath: sent.path))
    }

    struct Folder: Transferable {
        var url: URL
        static var transferRepresentation: some TransferRepresentation {
            FileRepresentation(exportedContentType: .folder) { SentTransferredFile($0.url) }
        }
    }
}

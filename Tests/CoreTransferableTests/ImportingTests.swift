import CoreTransferable
import Foundation
import Synchronization
import Testing
import UniformTypeIdentifiers

@Suite final class ImportingTests {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    @Test func dataIsImportedByItsType() async throws {
        #expect(try await Profile(importing: Data(#"{"text":"x"}"#.utf8), contentType: .profile) == Profile(text: "x"))
        #expect(try await Note(importing: Data("n".utf8), contentType: .utf8PlainText) == Note(text: "n"))
        // The importer is the first in order of declaration that the type conforms to.
        #expect(try await Picture(importing: Data("p".utf8), contentType: .png).bytes == Data("p".utf8))
        #expect(try await Picture(importing: Data("p".utf8), contentType: .gif).bytes == Data("any:p".utf8))
        await #expect(throws: (any Error).self) { try await Note(importing: Data(), contentType: .png) }
        await #expect(throws: DecodingError.self) {
            try await Profile(importing: Data("no".utf8), contentType: .profile)
        }
    }

    @Test func withoutATypeEveryImporterIsTried() async throws {
        // The first importer refuses empty data, and the second accepts any.
        #expect(try await Picture(importing: Data(), contentType: nil).bytes == Data("any:".utf8))
        await #expect(throws: (any Error).self) { try await Profile(importing: Data("no".utf8), contentType: nil) }
    }

    @Test func aFileIsImportedByItsName() async throws {
        let url = folder.appendingPathComponent("a.png")
        try Data("p".utf8).write(to: url)
        #expect(try await Picture(importing: url, contentType: nil).bytes == Data("p".utf8))
        #expect(FileManager.default.fileExists(atPath: url.path))
        let movie = folder.appendingPathComponent("a.mov")
        try Data("m".utf8).write(to: movie)
        let imported = try await Movie(importing: movie, contentType: nil)
        #expect(imported.wasOriginal)
        #expect(imported.url.path == movie.path)
        let gone = folder.appendingPathComponent("gone.png")
        await #expect(throws: (any Error).self) { try await Picture(importing: gone, contentType: nil) }
    }

    @Test func anImporterIsLentTheFile() async throws {
        struct Path: Transferable {
            var path: String
            static var transferRepresentation: some TransferRepresentation {
                FileRepresentation(importedContentType: .data) { (received: ReceivedTransferredFile) in
                    Path(path: received.isOriginalFile ? "" : received.file.path)
                }
            }
        }
        let imported = try await Path(importing: Data("m".utf8), contentType: .png)
        #expect(!imported.path.isEmpty && !FileManager.default.fileExists(atPath: imported.path))
    }

    @Test func dataIsAFileToAnImporterOfFiles() async throws {
        let movie = try await Movie(importing: Data("m".utf8), contentType: .mpeg4Movie)
        #expect(!movie.wasOriginal)
        #expect(try Data(contentsOf: movie.url) == Data("m".utf8))
        try FileManager.default.removeItem(at: movie.url)
    }

    @Test func aCodeOfTheProgramsOwnIsUsed() async throws {
        struct Listed: Codable, Equatable, Transferable {
            var a: Int
            static var transferRepresentation: some TransferRepresentation {
                CodableRepresentation(
                    contentType: .propertyList, encoder: PropertyListEncoder(), decoder: PropertyListDecoder())
            }
        }
        let data = try await Listed(a: 3).exported(as: nil)
        #expect(try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Int] == ["a": 3])
        #expect(try await Listed(importing: data, contentType: nil) == Listed(a: 3))
    }

    @Test func proxiesAreImportedSoonOrLater() async throws {
        struct Slow: Transferable {
            var text: String
            static var transferRepresentation: some TransferRepresentation {
                ProxyRepresentation { (slow: Slow) async throws -> String in
                    await Task.yield()
                    return slow.text
                } importing: { (text: String) async throws -> Slow in
                    await Task.yield()
                    return Slow(text: text)
                }
            }
        }
        struct Mixed: Transferable {
            var text: String
            static var transferRepresentation: some TransferRepresentation {
                ProxyRepresentation(
                    exporting: { (item: Mixed) in item.text },
                    importing: { (text: String) async in
                        await Task.yield()
                        return Mixed(text: text)
                    })
            }
        }
        #expect(try await Mixed(importing: try await Mixed(text: "m").exported(as: nil), contentType: nil).text == "m")
        struct OneWay: Transferable {
            var text: String
            static var transferRepresentation: some TransferRepresentation {
                ProxyRepresentation(importing: { (text: String) in OneWay(text: text) })
                ProxyRepresentation(importing: { (url: URL) async in OneWay(text: url.path) })
                ProxyRepresentation(exporting: { (item: OneWay) async in item.text })
            }
        }
        #expect(
            try await Slow(importing: try await Slow(text: "s").exported(as: nil), contentType: .utf8PlainText).text
                == "s")
        #expect(OneWay.importedContentTypes() == [.utf8PlainText, .fileURL, .url])
        #expect(try await OneWay(importing: Data("t".utf8), contentType: .utf8PlainText).text == "t")
        #expect(try await OneWay(text: "o").exported(as: .text) == Data("o".utf8))
    }

    @Test func theBuiltInTypesGoThereAndBack() async throws {
        #expect(try await String(importing: try await "héllo".exported(as: nil), contentType: nil) == "héllo")
        #expect(try await Data(importing: Data([1, 2]).exported(as: nil), contentType: .png) == Data([1, 2]))
        let web = try #require(URL(string: "https://example.org"))
        #expect(web.exportedContentTypes() == [.url])
        #expect(try await URL(importing: web.exported(as: nil), contentType: .url) == web)
        let file = URL(fileURLWithPath: "/tmp/a b")
        #expect(file.exportedContentTypes() == [.fileURL, .url])
        #expect(try await URL(importing: file.exported(as: .fileURL), contentType: .fileURL) == file)
        var text = AttributedString("plain ")
        var link = AttributedString("liñk")
        link.link = web
        text.append(link)
        let back = try await AttributedString(
            importing: text.exported(as: nil), contentType: text.exportedContentTypes().first)
        #expect(back == text)
        #expect(try await text.exported(as: .plainText) == Data("plain liñk".utf8))
        await #expect(throws: (any Error).self) {
            try await String(importing: Data([0xFF]), contentType: .utf8PlainText)
        }
    }

    @Test func withoutATypeEveryImporterOfAFileIsTried() async throws {
        let url = folder.appendingPathComponent("empty.png")
        try Data().write(to: url)
        // The first importer refuses empty data, and the second accepts any picture.
        #expect(try await Picture(importing: url, contentType: nil).bytes == Data("any:".utf8))
        // With a type, only the first importer that it conforms to is tried.
        await #expect(throws: CocoaError.self) { try await Picture(importing: url, contentType: .png) }
    }

    @Test func theErrorNamesEveryImporterThatWasTried() async throws {
        struct Choosy: Transferable {
            static var transferRepresentation: some TransferRepresentation {
                DataRepresentation(importedContentType: .png) { _ -> Choosy in throw CocoaError(.fileReadCorruptFile) }
                FileRepresentation(importedContentType: .image) { _ -> Choosy in throw CocoaError(.fileReadTooLarge) }
                DataRepresentation(importedContentType: .mp3) { _ in Choosy() }
            }
        }
        let url = folder.appendingPathComponent("a.png")
        try Data("p".utf8).write(to: url)
        do {
            _ = try await Choosy(importing: url, contentType: nil)
            Issue.record("it was imported")
        } catch {
            #expect(error.localizedDescription.contains("public.png"))
            #expect(error.localizedDescription.contains("public.image"))
            #expect(!error.localizedDescription.contains("public.mp3"))
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            #expect(cause?.code == CocoaError.fileReadCorruptFile.rawValue)
        }
    }

    @Test func aFileThatIsNotThereIsNamed() async throws {
        for (name, type) in [("gone.png", nil), ("gone", nil), ("gone.png", UTType.png), ("gone.none", .mp3)] {
            let gone = folder.appendingPathComponent(name)
            do {
                _ = try await Picture(importing: gone, contentType: type)
                Issue.record("it was imported")
            } catch {
                let error = error as NSError
                #expect(error.domain == NSCocoaErrorDomain)
                #expect(error.code == CocoaError.fileReadNoSuchFile.rawValue)
                #expect(error.userInfo[NSFilePathErrorKey] as? String == gone.path)
            }
        }
    }

    @Test func aFolderIsImported() async throws {
        struct Folder: Transferable {
            var path: String
            var names: [String]
            var isOriginal: Bool
            static var transferRepresentation: some TransferRepresentation {
                FileRepresentation(importedContentType: .folder) { received in
                    let names = try FileManager.default.contentsOfDirectory(atPath: received.file.path)
                    return Folder(path: received.file.path, names: names, isOriginal: received.isOriginalFile)
                }
            }
        }
        let url = folder.appendingPathComponent("Tree")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try Data("a".utf8).write(to: url.appendingPathComponent("a.txt"))
        for type in [nil, UTType.folder] {
            let imported = try await Folder(importing: url, contentType: type)
            #expect(imported.names == ["a.txt"])
            #expect(!imported.isOriginal && imported.path != url.path)
            #expect(!FileManager.default.fileExists(atPath: imported.path))
        }
    }

    @Test func onlyAFileIsImportedAsAFile() async throws {
        let url = folder.appendingPathComponent("a.png")
        try Data("p".utf8).write(to: url)
        let web = try #require(URL(string: "https://example.org\(url.path)"))
        do {
            _ = try await Picture(importing: web, contentType: nil)
            Issue.record("it was imported")
        } catch {
            #expect((error as? CocoaError)?.code == .fileReadUnsupportedScheme)
        }
    }
}

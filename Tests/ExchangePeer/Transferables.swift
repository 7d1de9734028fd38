import CoreTransferable
import Foundation
import ItemProvider
import UniformTypeIdentifiers

/// The values that a test can offer: greeting TEXT, movie PATH, report PATH (secret once PATH no longer exists),
/// folder PATH, endless IGNORED.
enum Transferables {
    static func register(_ kind: String, _ argument: String, _ provider: NSItemProvider) {
        let url = URL(fileURLWithPath: argument)
        switch kind {
        case "movie": provider.register(Movie(url: url))
        case "report": provider.register(Report(url: url))
        case "folder": provider.register(Folder(url: url))
        case "endless": provider.register(Endless())
        default: provider.register(Greeting(text: argument))
        }
    }
}

private struct Greeting: Codable, Transferable {
    var text: String

    static var transferRepresentation: some TransferRepresentation {
        CodableRepresentation(contentType: .json)
        ProxyRepresentation(exporting: \.text)
    }
}

private struct Movie: Transferable {
    var url: URL

    static var transferRepresentation: some TransferRepresentation {
        FileRepresentation(exportedContentType: .movie, shouldAllowToOpenInPlace: true) {
            SentTransferredFile($0.url, allowAccessingOriginalFile: true)
        }
    }
}

private struct Report: Transferable {
    var url: URL

    var isPublic: Bool { FileManager.default.fileExists(atPath: url.path) }

    static var transferRepresentation: some TransferRepresentation {
        DataRepresentation(exportedContentType: .html) { (_: Report) in Data("<h1>public</h1>".utf8) }
            .exportingCondition(\.isPublic)
            .suggestedFileName { $0.url.deletingPathExtension().lastPathComponent }
        FileRepresentation(exportedContentType: .pdf, shouldAllowToOpenInPlace: true) { SentTransferredFile($0.url) }
        DataRepresentation(exportedContentType: .json) { (_: Report) in Data("{}".utf8) }
            .visibility(.team)
        DataRepresentation(exportedContentType: .xml) { (_: Report) in Data("<a/>".utf8) }
            .visibility(.group)
        ProxyRepresentation(exporting: { (_: Report) in Draft() })
            .visibility(.all)
        DataRepresentation(exportedContentType: .plainText) { (_: Report) in Data("plain".utf8) }
    }
}

private struct Draft: Transferable {
    static var transferRepresentation: some TransferRepresentation {
        DataRepresentation(exportedContentType: .rtf) { (_: Draft) in Data("draft".utf8) }
            .visibility(.ownProcess)
    }
}

private struct Folder: Transferable {
    var url: URL

    static var transferRepresentation: some TransferRepresentation {
        FileRepresentation(exportedContentType: .folder) { SentTransferredFile($0.url) }
    }
}

private struct Endless: Transferable {
    static var transferRepresentation: some TransferRepresentation {
        DataRepresentation(exportedContentType: .png) { (_: Endless) in
            Script.say("exporter called")
            do {
                try await Task.sleep(for: .seconds(3_600))
            } catch {
                Script.say("exporter cancelled")
            }
            return Data()
        }
    }
}

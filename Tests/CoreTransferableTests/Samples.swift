import CoreTransferable
import Foundation
import ItemProvider
import UniformTypeIdentifiers

/// Types like those of programs that use Transferable.

struct Profile: Codable, Equatable, Transferable {
    var text: String

    static var transferRepresentation: some TransferRepresentation {
        CodableRepresentation(contentType: .profile)
        ProxyRepresentation(exporting: \.text)
    }
}

struct Picture: Transferable, Equatable {
    var bytes: Data

    static var transferRepresentation: some TransferRepresentation {
        DataRepresentation(contentType: .png) {
            $0.bytes
        } importing: { data in
            if data.isEmpty { throw CocoaError(.fileReadCorruptFile) }
            return Picture(bytes: data)
        }
        .suggestedFileName("Picture")
        DataRepresentation(exportedContentType: .jpeg) { Data("jpeg:".utf8) + $0.bytes }
            .visibility(.ownProcess)
        DataRepresentation(importedContentType: .image) { Picture(bytes: Data("any:".utf8) + $0) }
    }
}

struct Movie: Transferable {
    var url: URL
    var wasOriginal = false

    static var transferRepresentation: some TransferRepresentation {
        FileRepresentation(contentType: .movie, shouldAttemptToOpenInPlace: true) { movie in
            SentTransferredFile(movie.url, allowAccessingOriginalFile: true)
        } importing: { received in
            if received.isOriginalFile { return Movie(url: received.file, wasOriginal: true) }
            let copy = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.moveItem(at: received.file, to: copy)
            return Movie(url: copy)
        }
    }
}

struct Report: Transferable {
    var title: String
    var isSecret = false
    var url: URL?

    static var transferRepresentation: some TransferRepresentation {
        DataRepresentation(exportedContentType: .html) { Data("<h1>\($0.title)</h1>".utf8) }
            .exportingCondition { !$0.isSecret }
            .suggestedFileName { "\($0.title).html" }
        FileRepresentation(exportedContentType: .pdf) { report in
            guard let url = report.url else { throw CocoaError(.fileNoSuchFile) }
            return SentTransferredFile(url)
        }
        .suggestedFileName { $0.title }
        DataRepresentation(exportedContentType: .plainText) { Data($0.title.utf8) }
        DataRepresentation(exportedContentType: .json) { Data("\"\($0.title)\"".utf8) }
    }
}

struct Note: Transferable, Equatable {
    var text: String

    static var transferRepresentation: some TransferRepresentation {
        ProxyRepresentation(exporting: { $0.text }, importing: { Note(text: $0) })
    }
}

/// A proxy that leads back to itself through another one.
struct Ouroboros: Transferable {
    static var transferRepresentation: some TransferRepresentation {
        ProxyRepresentation(exporting: { _ in Tail() }, importing: { _ in Ouroboros() })
    }
}

struct Tail: Transferable {
    static var transferRepresentation: ProxyRepresentation<Tail, Ouroboros> {
        ProxyRepresentation(exporting: { _ in Ouroboros() }, importing: { _ in Tail() })
    }
}

extension UUID: Transferable {
    /// The representation as text.
    public static var transferRepresentation: some TransferRepresentation {
        ProxyRepresentation(exporting: \.uuidString)
    }
}

extension UTType {
    static let profile = UTType(exportedAs: "com.example.profile", conformingTo: .json)
}

extension NSItemProvider {
    func transferable<T: Transferable & Sendable>(_ type: T.Type) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            _ = loadTransferable(type: type) { continuation.resume(with: $0) }
        }
    }
}

// swift-format-ignore-file

import Foundation
import UniformTypeIdentifiers

/// A value with several representations, the best one first.
struct Sketch: Codable, Equatable, Transferable {
    var title: String
    var strokes: [[Double]] = []
    var isSecret = false

    static var transferRepresentation: some TransferRepresentation {
        CodableRepresentation(contentType: .sketch)
            .suggestedFileName { $0.title + ".sketch" }
        DataRepresentation(exportedContentType: .commaSeparatedText) { sketch in
            Data(sketch.strokes.map { $0.map { "\($0)" }.joined(separator: ",") }.joined(separator: "\n").utf8)
        }
        .exportingCondition { !$0.isSecret }
        ProxyRepresentation(exporting: \.title, importing: { Sketch(title: $0) })
            .visibility(.ownProcess)
    }
}

extension UTType {
    static var sketch: UTType { UTType(exportedAs: "com.example.sketch", conformingTo: .json) }
}

/// A film that remains a file, and is copied when it arrives, because the received file is removed.
struct Film: Transferable {
    let url: URL

    static var transferRepresentation: some TransferRepresentation {
        FileRepresentation(contentType: .movie) { film in
            SentTransferredFile(film.url)
        } importing: { received in
            let copy = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + "-" + received.file.lastPathComponent)
            if FileManager.default.fileExists(atPath: copy.path) {
                try FileManager.default.removeItem(at: copy)
            }
            try FileManager.default.copyItem(at: received.file, to: copy)
            return Self.init(url: copy)
        }
        FileRepresentation(importedContentType: .data) { received in Film(url: received.file) }
    }
}

/// Raw data, with one importing and one exporting representation.
struct Scan: Transferable {
    enum ScanError: Error { case empty }
    let data: Data

    static var transferRepresentation: some TransferRepresentation {
        DataRepresentation(importedContentType: .image) { data in
            guard !data.isEmpty else { throw ScanError.empty }
            return Scan(data: data)
        }
        DataRepresentation(exportedContentType: .png) { scan in scan.data }
        ProxyRepresentation { (url: URL) in Scan(data: try Data(contentsOf: url)) }
    }
}

enum TransferablePrograms {
    static func load(_ provider: NSItemProvider, completion: @escaping @Sendable (Sketch?) -> Void) -> Progress {
        return provider.loadTransferable(type: Sketch.self) { result in
            switch result {
            case .success(let sketch): completion(sketch)
            case .failure: completion(nil)
            }
        }
    }

    static func provider(_ sketch: Sketch) -> NSItemProvider {
        let provider = NSItemProvider()
        provider.register(sketch)
        return provider
    }
}

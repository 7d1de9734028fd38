import CoreTransferable
import Foundation
import ItemProvider
import Synchronization
import Testing
import UniformTypeIdentifiers

/// A call that may block never runs on a thread of Swift's task pool, which has few threads.
@Suite(.enabled(if: OpenWitness.isAllowed, "only root is told which thread opened a file")) struct BlockingCallTests {
    private let folder: URL
    private let witness: OpenWitness

    init() throws {
        // Outside the temporary directory, which other tests list from threads of their own.
        folder = URL(fileURLWithPath: "/dev/shm/purvey-test-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        witness = try OpenWitness()
    }

    private func watchedFile(_ name: String) throws -> URL {
        let url = folder.appendingPathComponent(name)
        try Data("p".utf8).write(to: url)
        try witness.watch(url.path)
        return url
    }

    private func expectHandlerThreadsOnly(_ place: SourceLocation = #_sourceLocation) {
        let threads = witness.threads()
        #expect(!threads.isEmpty, sourceLocation: place)
        // If many are idle, a handler thread ends after its job. The threads of the task pool wait for the next job.
        #expect(threads.allSatisfy { ["purvey-handler", ""].contains($0) }, "\(threads)", sourceLocation: place)
    }

    @Test func aFileThatIsSentIsOpened() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let report = Report(title: "T", url: try watchedFile("a.pdf"))
        _ = try await report.exported(as: .pdf)
        expectHandlerThreadsOnly()
        let provider = NSItemProvider()
        provider.register(report)
        _ = try await provider.loadDataRepresentation(for: .pdf)
        expectHandlerThreadsOnly()
    }

    @Test func theContentsOfAFileWithoutAnExtensionAreLookedAt() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = try watchedFile("nameless")
        _ = try await Data(importing: url, contentType: nil)
        expectHandlerThreadsOnly()
    }

    /// The removal of a directory opens it first.
    @Test func theFolderOfAFileThatArrivedIsRemoved() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try await Profile(text: "x").withExportedFile(contentType: nil) { url in
            try witness.watch(url.deletingLastPathComponent().path)
        }
        expectHandlerThreadsOnly()

        struct Watched: Transferable {
            static let witness = Mutex<OpenWitness?>(nil)
            static var transferRepresentation: some TransferRepresentation {
                FileRepresentation(importedContentType: .pdf) { received in
                    try witness.withLock { $0 }?.watch(received.file.deletingLastPathComponent().path)
                    return Watched()
                }
            }
        }
        Watched.witness.withLock { $0 = witness }
        defer { Watched.witness.withLock { $0 = nil } }
        _ = try await Watched(importing: Data("p".utf8), contentType: .pdf)
        expectHandlerThreadsOnly()
        let provider = NSItemProvider(item: Data("p".utf8) as NSData, typeIdentifier: UTType.pdf.identifier)
        _ = try await provider.transferable(Watched.self)
        expectHandlerThreadsOnly()
    }

    @Test func theDirectoryOfAnExportIsOpened() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try witness.watch(folder.path)
        _ = try await Profile(text: "x").export(to: folder, contentType: nil)
        expectHandlerThreadsOnly()
    }

    @Test func aValueIsMadeAndCoded() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        struct Coded: Codable, Transferable {
            static let threads = Mutex<[String]>([])

            static func note() {
                let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
                threads.withLock { $0.append(name ?? "") }
            }

            init() { Self.note() }
            init(from decoder: any Decoder) throws { Self.note() }
            func encode(to encoder: any Encoder) throws {
                Self.note()
                var container = encoder.singleValueContainer()
                try container.encode("coded")
            }

            static var transferRepresentation: some TransferRepresentation { CodableRepresentation(contentType: .json) }
        }
        let provider = NSItemProvider()
        provider.register(Coded())
        _ = try await provider.transferable(Coded.self)
        #expect(Coded.threads.withLock { $0 } == Array(repeating: "purvey-handler\n", count: 3))
    }
}

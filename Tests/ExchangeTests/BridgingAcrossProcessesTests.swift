import Exchange
import Foundation
import ItemProvider
import LinuxSystem
import Testing
import UniformTypeIdentifiers

/// The matrix of the article: three ways to provide, three ways to consume, two processes.
@Suite struct BridgingAcrossProcessesTests {
    enum Offered: String, CaseIterable, Sendable {
        case data, file, inplace
    }

    private static let cells = Offered.allCases.flatMap { offered in Delivery.allCases.map { (offered, $0) } }

    @Test(arguments: cells) func aRepresentationArrivesAsItIsWanted(_ offered: Offered, _ wanted: Delivery) async throws
    {
        try await PrivateDaemon.run { daemon in
            let contents = pattern(100_000)
            let file = daemon.work + "/picture.png"
            try contents.write(to: URL(fileURLWithPath: file))
            let provider = try daemon.peer()
            _ = try await provider.ask(
                "offer board \(offered.rawValue) public.png \(offered == .data ? "100000" : file)", "offered")

            let item = try #require(try await daemon.board().items().first)
            #expect(item.registeredTypeIdentifiers == ["public.png"])
            #expect(item.registeredTypeIdentifiers(fileOptions: .openInPlace).count == (offered == .inplace ? 1 : 0))
            switch wanted {
            case .data:
                #expect(try await item.loadDataRepresentation(for: .png) == contents)
            case .copy, .inPlace:
                let arrived = try await item.loadFileRepresentation(for: .png, openInPlace: wanted == .inPlace) {
                    (try Data(contentsOf: $0), $0, $1)
                }
                #expect(arrived.0 == contents)
                let isOriginal = offered == .inplace && wanted == .inPlace
                #expect(arrived.2 == isOriginal)
                #expect((arrived.1.path == file) == isOriginal)
                #expect(arrived.1.pathExtension == "png")
                if offered != .data { #expect(arrived.1.lastPathComponent == "picture.png") }
                // A copy is removed after the consumer has used it; the original remains.
                await eventually { FileManager.default.fileExists(atPath: arrived.1.path) == isOriginal }
            }
            #expect(FileManager.default.fileExists(atPath: file))
        }
    }

    @Test func aFolderArrivesAsATreeAndAsAnArchiveOfItself() async throws {
        try await PrivateDaemon.run { daemon in
            let folder = daemon.work + "/Notes"
            try FileManager.default.createDirectory(atPath: folder + "/deep/er", withIntermediateDirectories: true)
            try Data("one".utf8).write(to: URL(fileURLWithPath: folder + "/deep/er/one.txt"))
            try FileManager.default.createSymbolicLink(atPath: folder + "/out", withDestinationPath: "/etc/passwd")
            let provider = try daemon.peer()
            _ = try await provider.ask("offer board file public.folder \(folder)", "offered")

            let item = try #require(try await daemon.board().items().first)
            try await item.loadFileRepresentation(for: .folder) { url, isInPlace in
                #expect(!isInPlace)
                #expect(url.lastPathComponent == "Notes")
                #expect(try String(contentsOf: url.appendingPathComponent("deep/er/one.txt"), encoding: .utf8) == "one")
                // The symbolic link remains one, and was not followed out of the directory.
                let target = try FileManager.default.destinationOfSymbolicLink(atPath: url.path + "/out")
                #expect(target == "/etc/passwd")
            }
            let archive = try await item.loadDataRepresentation(for: .folder)
            #expect(archive.starts(with: Data("PK".utf8)))
            #expect(archive.range(of: Data("Notes/deep/er/one.txt".utf8)) != nil)
            #expect(archive.range(of: Data("root:".utf8)) == nil)
        }
    }

    @Test func dataOfEverySizeArrivesWhole() async throws {
        try await PrivateDaemon.run { daemon in
            // Sizes around the limit for data inside the message, and around the size of a packet.
            for size in [0, 1, 4_095, 4_096, 4_097, 65_535, 65_537, 9 << 20] {
                let provider = try daemon.peer()
                _ = try await provider.ask("offer sized data public.data \(size)", "offered")
                let item = try #require(try await daemon.board("sized").items().first)
                #expect(try await item.loadDataRepresentation(for: .data) == pattern(size))
                await provider.end()
            }
        }
    }
}

/// Returns the bytes that the other process produces for a size.
func pattern(_ size: Int) -> Data {
    var data = Data(repeating: 0x5A, count: size)
    for offset in stride(from: 0, to: size, by: 4099) { data[offset] = UInt8(truncatingIfNeeded: offset / 4099) }
    return data
}

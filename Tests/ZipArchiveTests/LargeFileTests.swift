import FileTesting
import Foundation
import LinuxSystem
import TestThreads
import Testing
import ZipArchive

/// Files that are compressed in parts of 2 MiB, which are then joined.
@Suite(.ownThreads) struct LargeFileTests {
    enum Content: CaseIterable, Sendable {
        case zeros, words, noise, mixed

        func bytes(_ count: Int) -> [UInt8] {
            switch self {
            case .zeros: return Array(repeating: 0, count: count)
            case .words:
                let line = Array("It was the best of times, it was the worst of times.\n".utf8)
                var bytes = Self.repeated(line, count: count)
                for index in stride(from: 0, to: count, by: 977) {
                    bytes[index] = UInt8(truncatingIfNeeded: index >> 3)
                }
                return bytes
            case .noise: return Self.repeated(Self.unrepeated, count: count)
            case .mixed:
                // Noise with readable stretches, which makes blocks of every kind that end at any bit.
                var bytes = Self.repeated(Self.unrepeated, count: count)
                let text = Self.repeated(Array("ABCDEFGHIJK".utf8), count: 40_000)
                for start in stride(from: 0, to: count, by: 70_000) {
                    let end = min(start + text.count, count)
                    bytes.replaceSubrange(start..<end, with: text.prefix(end - start))
                }
                return bytes
            }
        }

        /// Bytes that cannot be compressed even when they are repeated, because the compressor looks back only 32
        /// KiB.
        private static let unrepeated: [UInt8] = {
            var state: UInt64 = 88_172_645_463_325_252
            return (0..<256 << 10).map { _ in
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                return UInt8(truncatingIfNeeded: state >> 24)
            }
        }()

        /// Returns a piece repeated to `count` bytes.
        ///
        /// Tests are not optimized, so a loop over each byte of a large file would take seconds.
        private static func repeated(_ piece: [UInt8], count: Int) -> [UInt8] {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(count + piece.count)
            while bytes.count < count { bytes += piece }
            bytes.removeLast(bytes.count - count)
            return bytes
        }
    }

    let folder: ArchiveFolder

    init() throws { folder = try ArchiveFolder() }

    /// Returns Python's view of an entry: its method (0 stored, 8 deflated) and whether its bytes are those of the
    /// file.
    private func python(_ entry: String, file: String) throws -> String {
        try folder.run(
            "python3",
            [
                "-c",
                """
                import sys, zipfile
                archive = zipfile.ZipFile("archive.zip")
                entry = archive.getinfo(sys.argv[1])
                same = archive.read(entry) == open(sys.argv[2], "rb").read()
                print(entry.compress_type, same, entry.compress_size < entry.file_size)
                """,
                entry, file,
            ]
        ).output
    }

    @Test(.enabled(if: Requirement.isWanted(program: "python3")), arguments: Content.allCases)
    func aFileInPartsIsReadBackAsItWas(content: Content) throws {
        let part = 2 << 20
        for size in [part - 1, part, part + 1, 3 * part, 3 * part + 77_777] {
            try folder.file("tree/\(size)", Data(content.bytes(size)))
        }
        try folder.archive()
        for size in [part - 1, part, part + 1, 3 * part, 3 * part + 77_777] {
            let expected = content == .noise ? "0 True False\n" : "8 True True\n"
            let answer = try python("tree/\(size)", file: "tree/\(size)");
            #expect(answer == expected, "\(content) \(size)")
        }
        #expect(try folder.run("unzip", ["-tq", "archive.zip"]).status == 0)
    }

    @Test(.enabled(if: Requirement.isWanted(program: "python3")))
    func aFileThatSeemsToShrinkAndDoesNotIsStoredInTheEnd() throws {
        // Compressible where it is sampled first, but too little to make up for the rest.
        var bytes = Content.noise.bytes(5 << 20)
        for index in 0..<220 { bytes[index] = 65 }
        try folder.file("tree/a", Data(bytes))
        try folder.file("tree/b", Data("after".utf8))
        try folder.archive()
        #expect(try python("tree/a", file: "tree/a") == "0 True False\n")
        #expect(try folder.run("unzip", ["-p", "archive.zip", "tree/b"]).output == "after")
    }

    @Test func partsOfZerosLieAmongOthers() throws {
        let part = 2 << 20
        let (noise, zeros) = (Content.noise.bytes(1000), Content.zeros.bytes(part))
        // Two parts of zeros, one with a byte at its end, one of zeros, one with a byte at its beginning, one of
        // zeros, and a short last part.
        var bytes = zeros + zeros + zeros + zeros + zeros + zeros
        bytes[3 * part - 1] = 1
        bytes[4 * part] = 2
        bytes += noise
        try folder.file("tree/a", Data(bytes))
        try folder.file("tree/zeros", Data(zeros + zeros + zeros))
        try folder.archive(options: .init(threads: 1))
        #expect(try folder.run("unzip", ["-q", "archive.zip", "-d", "out"]).status == 0)
        #expect(try folder.run("diff", ["-r", "tree", "out/tree"]).status == 0)
    }

    @Test func aSingleFileIsTheOnlyEntry() throws {
        try folder.file("a.txt", Data(Content.words.bytes(3_000_000)))
        let output = try FileDescriptor.open(folder.archivePath, [.readWrite, .create], permissions: 0o600)
        let report = try ZipArchiver.archive(file: try folder.open("a.txt"), named: "b.txt", to: output)
        #expect(report.entries == 1 && report.bytes == 3_000_000 && report.archiveBytes == folder.archiveSize)
        #expect(try folder.run("unzip", ["-Z1", "archive.zip"]).output == "b.txt\n")
        try folder.run("unzip", ["-q", "archive.zip"])
        #expect(try folder.run("cmp", ["a.txt", "b.txt"]).status == 0)
    }

    @Test func entriesThatLieBeyondFourGiBAreReadable() throws {
        try folder.file("tree/a.txt", Data("beyond".utf8))
        try folder.file("tree/large", Data(Content.words.bytes(5_000_000)))
        try folder.archive(options: .init(position: 5 << 30))
        // 7z looks for an archive only at the beginning of a file.
        for reader in ReaderTests.Reader.wanted where reader != .sevenZip {
            try FileManager.default.createDirectory(
                at: folder.url.appendingPathComponent("out"), withIntermediateDirectories: false)
            #expect(try folder.run(reader.program, reader.unpack("archive.zip", into: "out")).status == 0, "\(reader)")
            #expect(try folder.run("diff", ["-r", "tree", "out/tree"]).status == 0, "\(reader)")
            try FileManager.default.removeItem(at: folder.url.appendingPathComponent("out"))
        }
    }
}

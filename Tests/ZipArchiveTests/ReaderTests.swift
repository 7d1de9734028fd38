import Foundation
import LinuxSystem
import Testing
import ZipArchive

/// What others make of our archives: each reader unpacks the same tree.
@Suite(.serialized) struct ReaderTests {
    enum Reader: String, CaseIterable, Sendable {
        case unzip, sevenZip, bsdtar, python

        var program: String {
            switch self {
            case .unzip: "unzip"
            case .sevenZip: "7z"
            case .bsdtar: "bsdtar"
            case .python: "python3"
            }
        }

        func unpack(_ archive: String, into folder: String) -> [String] {
            switch self {
            case .unzip: ["-q", archive, "-d", folder]
            case .sevenZip: ["x", "-y", "-bd", "-o\(folder)", archive]
            case .bsdtar: ["-xf", archive, "-C", folder]
            case .python: ["-m", "zipfile", "-e", archive, folder]
            }
        }

        func test(_ archive: String) -> [String] {
            switch self {
            case .unzip: ["-tq", archive]
            case .sevenZip: ["t", "-bd", archive]
            case .bsdtar: ["-tf", archive]
            case .python: ["-m", "zipfile", "-t", archive]
            }
        }
    }

    @Test(arguments: Reader.allCases)
    func everyReaderUnpacksATreeAsItWas(reader: Reader) throws {
        let folder = try ArchiveFolder()
        let text = Data(String(repeating: "All work and no play makes Jack a dull boy.\n", count: 300_000).utf8)
        var noise = SystemRandomNumberGenerator()
        try folder.file("tree/text.txt", text)
        try folder.file("tree/noise.bin", Data((0..<3_000_000).map { _ in UInt8.random(in: 0...255, using: &noise) }))
        try folder.file("tree/empty")
        try folder.file("tree/deep/er/ümläut 名.txt", Data("beta".utf8))
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("tree/nothing"), withIntermediateDirectories: true)
        try folder.archive()
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("out"), withIntermediateDirectories: false)
        let unpacked = try folder.run(reader.program, reader.unpack("archive.zip", into: "out"))
        #expect(unpacked.status == 0)
        let difference = try folder.run("diff", ["-r", "tree", "out/tree"])
        #expect(difference.status == 0, "\(difference.output)")
    }

    @Test func aFileOfMoreThanFourGiBIsReadableByAll() throws {
        let folder = try ArchiveFolder()
        try folder.file("tree/after.txt", Data("after".utf8))
        let large = try FileDescriptor.open(
            try folder.file("tree/large.bin").path, [.readWrite])
        let size = 4 << 30 + 4096
        try large.truncate(to: size)
        try Data("end".utf8).withUnsafeBytes { try large.writeAll($0, at: size - 3) }
        try folder.archive()
        for reader in Reader.allCases {
            #expect(try folder.run(reader.program, reader.test("archive.zip")).status == 0, "\(reader)")
        }
        let listing = try folder.run(
            "python3",
            [
                "-c",
                """
                import zipfile
                a = zipfile.ZipFile("archive.zip")
                print(*[(i.filename, i.file_size) for i in a.infolist()])
                """,
            ])
        #expect(listing.output.contains("('tree/large.bin', \(size))"))
    }

    @Test func moreEntriesThanFitInSixteenBitsAreReadableByAll() throws {
        let folder = try ArchiveFolder()
        try folder.file("tree/0")
        let tree = try folder.open("tree")
        for number in 1..<66_000 {
            _ = try tree.open(String(number), [.writeOnly, .create, .exclusive], permissions: 0o600)
        }
        let report = try folder.archive()
        #expect(report.entries == 66_001)
        for reader in Reader.allCases {
            #expect(try folder.run(reader.program, reader.test("archive.zip")).status == 0, "\(reader)")
        }
        let count = try folder.run(
            "python3", ["-c", "import zipfile; print(len(zipfile.ZipFile('archive.zip').namelist()))"])
        #expect(count.output == "66001\n")
    }
}

import FileTesting
import Foundation
import Glibc
import LinuxSystem
import TestThreads
import Testing
import ZipArchive

/// Archives read by other programs: each reader unpacks the same tree.
@Suite(.ownThreads) struct ReaderTests {
    enum Reader: String, CaseIterable, Sendable {
        case unzip, sevenZip, bsdtar, python

        /// The readers that are installed; under CI all of them.
        static var wanted: [Reader] { allCases.filter { Requirement.isWanted(program: $0.program) } }

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

        /// A shell command that reads every entry of `archive.zip` and fails on a wrong checksum.
        var test: String {
            switch self {
            case .unzip: "unzip -tq archive.zip >/dev/null"
            case .sevenZip: "7z t -bd archive.zip >/dev/null"
            case .bsdtar: "bsdtar -xOf archive.zip >/dev/null"
            case .python:
                "python3 -c 'import zipfile, sys; sys.exit(zipfile.ZipFile(\"archive.zip\").testzip() is not None)'"
            }
        }
    }

    @Test(arguments: Reader.wanted)
    func everyReaderUnpacksATreeAsItWas(reader: Reader) throws {
        let folder = try ArchiveFolder()
        let text = Data(String(repeating: "All work and no play makes Jack a dull boy.\n", count: 300_000).utf8)
        try folder.file("tree/text.txt", text)
        try folder.file("tree/noise.bin", Data(LargeFileTests.Content.noise.bytes(3_000_000)))
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
        let folder = try ArchiveFolder(in: "/dev/shm")
        try folder.file("tree/then.txt", Data("then".utf8))
        let large = try FileDescriptor.open(try folder.file("tree/large.bin").path, [.readWrite])
        let size = 4 << 30 + 4096
        try large.truncate(to: size)
        try Data("end".utf8).withUnsafeBytes { try large.writeAll($0, at: size - 3) }
        try folder.archive()
        // Reading all of it takes each reader some ten seconds, so bsdtar and 7z do that only when all cases run.
        // Otherwise they read the beginning; the sizes they list and the entry that follows show that they parsed the
        // archive.
        var commands: [String] = []
        for reader in Reader.wanted {
            switch reader {
            case .unzip:
                commands.append("unzip -Z1 archive.zip | grep -qx tree/large.bin")
                commands.append("unzip -v archive.zip | grep -q '\(size) .* tree/large.bin'")
                commands.append("test \"$(unzip -p archive.zip tree/then.txt)\" = then")
                commands.append("test \"$(unzip -p archive.zip tree/large.bin | head -c 99999999 | wc -c)\" = 99999999")
            case .bsdtar where TestSample.isWhole:
                commands.append("bsdtar -xOf archive.zip tree/large.bin | tail -c 3 | grep -q end")
            case .bsdtar:
                commands.append("bsdtar -tvf archive.zip | grep -q ' \(size) .* tree/large.bin'")
                commands.append("test \"$(bsdtar -xOf archive.zip tree/then.txt)\" = then")
            case .sevenZip where TestSample.isWhole: commands.append(reader.test)
            case .sevenZip:
                commands.append("7z l -bd archive.zip | grep -q ' \(size) .* tree/large.bin'")
                commands.append("test \"$(7z x -so -bd archive.zip tree/then.txt)\" = then")
            case .python:
                let script = """
                    import zipfile
                    archive = zipfile.ZipFile("archive.zip")
                    assert archive.getinfo("tree/large.bin").file_size == \(size)
                    assert archive.read("tree/then.txt") == b"then"
                    assert archive.open("tree/large.bin").read(99999999) == bytes(99999999)
                    """
                commands.append("python3 -c '\(script)'")
            }
        }
        for (command, status) in zip(commands, try folder.runAtOnce(commands)) {
            #expect(status == 0, "\(command)")
        }
    }

    @Test func moreEntriesThanFitInSixteenBitsAreReadableByAll() throws {
        let folder = try ArchiveFolder(in: "/dev/shm")
        for name in ["even", "odd"] { try folder.file(name) }
        try folder.file("tree/0")
        let (top, tree) = (try folder.open(""), try folder.open("tree"))
        // Links to two files: creating so many files would take long, and a file system allows at most 65,000 links
        // to one.
        for number in 1..<66_000 {
            let name = number.isMultiple(of: 2) ? "even" : "odd"
            try retrying { linkat(top.rawValue, name, tree.rawValue, String(number), 0) }
        }
        let report = try folder.archive()
        #expect(report.entries == 66_001)
        for reader in Reader.wanted {
            #expect(try folder.run("sh", ["-c", reader.test]).status == 0, "\(reader)")
        }
        guard Reader.wanted.contains(.python) else { return }
        let count = try folder.run(
            "python3", ["-c", "import zipfile; print(len(zipfile.ZipFile('archive.zip').namelist()))"])
        #expect(count.output == "66001\n")
    }
}

import FileTesting
import Foundation
import LinuxSystem
import ProgramTesting
import TestThreads
import Testing
import ZipArchive

/// Unusual inputs and outputs.
@Suite(.ownThreads) struct UnusualInputTests {
    let folder: TestFolder
    let tree: FileDescriptor

    init() throws {
        folder = try TestFolder()
        tree = try folder.folder("tree")
    }

    private func run(_ program: String, _ arguments: [String]) throws -> String {
        try RunningProgram("/usr/bin/env", [program] + arguments, in: folder.path).waitForEnd().text
    }

    @Test func anOutputThatCannotBeWrittenAnywhereIsRefused() throws {
        try folder.file("tree/a", [1])
        let pipe = Pipe()
        let writing = FileDescriptor(owning: dup(pipe.fileHandleForWriting.fileDescriptor))
        let appending = try folder.descriptor.open(
            "log", [.writeOnly, .append, .create], permissions: 0o600)
        let reading = try folder.descriptor.open("tree/a", .readOnly)
        for output in [writing, appending, reading] {
            #expect(throws: ZipError.unsuitableOutput) {
                try ZipArchiver.archive(directory: tree, named: "tree", to: output)
            }
        }
    }

    @Test func bytesBeforeTheArchiveStayWhenItFails() throws {
        try folder.file("tree/a", [1])
        let output = try folder.file("archive", Array("#!/bin/sh\n".utf8))
        var asked = 0
        #expect(throws: ZipError.cancelled) {
            try ZipArchiver.archive(
                directory: tree, named: "tree", to: output, options: .init(position: 10),
                isCancelled: {
                    asked += 1
                    return asked > 3
                })
        }
        #expect(try folder.content("archive") == Array("#!/bin/sh\n".utf8))
    }

    @Test func anArchiveInTheFolderToArchiveIsRefused() throws {
        let output = try folder.file("tree/archive.zip")
        #expect(throws: ZipError.archiveInsideSource) {
            try ZipArchiver.archive(directory: tree, named: "tree", to: output)
        }
        #expect(try folder.status("tree/archive.zip").size == 0)
    }

    @Test func aFileForADirectoryAndADirectoryForAFileAreRefused() throws {
        let file = try folder.file("a", [1])
        let output = try folder.file("archive.zip")
        #expect(throws: ZipError.wrongKind(.regular, path: "a")) {
            try ZipArchiver.archive(directory: file, named: "a", to: output)
        }
        #expect(throws: ZipError.wrongKind(.directory, path: "a")) {
            try ZipArchiver.archive(file: tree, named: "a", to: output)
        }
    }

    @Test func aFileThatSaysItIsEmptyIsReadToItsEnd() throws {
        let source = try FileDescriptor.open("/proc/version", .readOnly)
        try ZipArchiver.archive(file: source, named: "version", to: try folder.file("archive.zip"))
        #expect(try run("unzip", ["-p", "archive.zip"]) == String(decoding: folder.version(), as: UTF8.self))
    }

    @Test(.enabled(if: Requirement.isWanted(program: "python3")))
    func namesKeepTheirBytesAndAreMarkedWhenTheyAreUTF8() throws {
        let names: [[UInt8]] = [Array("plain".utf8), Array("ümläut".utf8), [0x61, 0xFF, 0xFE]]
        for bytes in names { _ = try tree.createFile(#require(FileName(bytes: bytes)), permissions: 0o600) }
        try ZipArchiver.archive(directory: tree, named: "tree", to: try folder.file("archive.zip"))
        let listing = try run(
            "python3",
            [
                "-c",
                """
                import zipfile
                for i in zipfile.ZipFile("archive.zip").infolist()[1:]:
                    utf8 = i.flag_bits >> 11 & 1
                    print(utf8, i.filename.encode("utf-8" if utf8 else "cp437").hex())
                """,
            ])
        let hex = { (bytes: [UInt8]) in
            (Array("tree/".utf8) + bytes).map { String(format: "%02x", $0) }.joined()
        }
        #expect(
            Set(listing.split(separator: "\n").map(String.init))
                == ["0 " + hex(names[0]), "1 " + hex(names[1]), "0 " + hex(names[2])])
    }

    @Test(
        .enabled(if: Requirement.isWanted(program: "python3")),
        arguments: [
            (0, "1980-01-01 00:00:00"), (315_532_800, "1980-01-01 00:00:00"), (951_782_399, "2000-02-28 23:59:58"),
            (951_868_801, "2000-03-01 00:00:00"), (1_709_251_199, "2024-02-29 23:59:58"),
            (4_102_444_799, "2099-12-31 23:59:58"), (9_999_999_999, "2107-12-31 23:59:58"),
        ])
    func timesAreInUTCAndWithinWhatTheFormatHas(seconds: Int, date: String) throws {
        let file = try folder.file("a", [1])
        let time = timespec(tv_sec: seconds, tv_nsec: 0)
        try retrying { futimens(file.rawValue, [time, time]) }
        try ZipArchiver.archive(file: file, named: "a", to: try folder.file("archive.zip"))
        let printed = try run(
            "python3",
            [
                "-c",
                """
                import zipfile
                print("%04d-%02d-%02d %02d:%02d:%02d" % zipfile.ZipFile("archive.zip").infolist()[0].date_time)
                """,
            ])
        #expect(printed == date + "\n")
    }

    @Test func exactTimesComeBack() throws {
        let file = try folder.file("tree/a", [1])
        let time = timespec(tv_sec: 1_234_567_891, tv_nsec: 0)
        try retrying { futimens(file.rawValue, [time, time]) }
        try ZipArchiver.archive(directory: tree, named: "tree", to: try folder.file("archive.zip"))
        _ = try run("unzip", ["-q", "archive.zip", "-d", "out"])
        #expect(try folder.status("out/tree/a").modifiedSeconds == 1_234_567_891)
    }

    @Test func aPathLongerThanTheFormatHasIsRefused() throws {
        var bottom = tree
        let name = try #require(FileName(String(repeating: "n", count: 250)))
        for _ in 0..<265 {
            try bottom.makeDirectory(name, permissions: 0o755)
            bottom = try bottom.open(entry: name, [.readOnly, .directory])
        }
        let output = try folder.file("archive.zip")
        let failure = #expect(throws: ZipError.self) {
            try ZipArchiver.archive(directory: tree, named: "tree", to: output)
        }
        guard case .pathTooLong = failure else {
            Issue.record("\(failure.debugDescription)")
            return
        }
        #expect(try output.status().size == 0)
    }

    @Test(.enabled(if: TestDisk.isWanted(.tmpfs), "no tmpfs can be mounted here"))
    func aFullDiskIsReportedAndTheArchiveTakenBack() throws {
        let disk = try TestDisk(.tmpfs, megabytes: 2)
        for number in 0..<8 { try folder.file("tree/\(number).jpg", pattern(1 << 20)) }
        let output = try disk.descriptor.open("archive.zip", [.readWrite, .create], permissions: 0o600)
        #expect(throws: ZipError.noSpace) {
            try ZipArchiver.archive(directory: tree, named: "tree", to: output, shouldStore: { _ in true })
        }
        #expect(try output.status().size == 0)
    }
}

extension TestFolder {
    fileprivate func version() throws -> [UInt8] {
        try FileDescriptor.open("/proc/version", .readOnly).everything()
    }
}

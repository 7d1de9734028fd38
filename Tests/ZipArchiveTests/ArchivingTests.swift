import Foundation
import LinuxSystem
import TestThreads
import Testing
import ZipArchive

@Suite(.ownThreads) struct ArchivingTests {
    let folder: ArchiveFolder

    init() throws {
        folder = try ArchiveFolder()
    }

    private func names() throws -> [String] {
        try folder.run("unzip", ["-Z1", "archive.zip"]).output.split(separator: "\n").map(String.init)
    }

    @Test func theDirectoryIsTheOnlyEntryAtTheRoot() throws {
        try folder.file("tree/b.txt", Data("b".utf8))
        try folder.file("tree/a/c.txt", Data("c".utf8))
        try folder.archive()
        #expect(try names() == ["tree/", "tree/a/", "tree/a/c.txt", "tree/b.txt"])
    }

    @Test func anEmptyDirectoryIsAnArchiveOfOneEntry() throws {
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("tree"), withIntermediateDirectories: false)
        try folder.archive()
        #expect(try names() == ["tree/"])
    }

    @Test func theArchiveIsTheSameByteForByteWhateverTheNumberOfThreads() throws {
        for number in 0..<50 {
            try folder.file("tree/\(number).txt", Data(String(repeating: "line \(number)\n", count: 2000).utf8))
        }
        try folder.file("tree/large.txt", Data(String(repeating: "large\n", count: 2_000_000).utf8))
        var archives: Set<Data> = []
        for threads in [1, 2, 4, 7] {
            try folder.archive(options: .init(threads: threads))
            archives.insert(try Data(contentsOf: URL(fileURLWithPath: folder.archivePath)))
        }
        #expect(archives.count == 1)
    }

    @Test func linksAreArchivedAsLinksAndNeverFollowed() throws {
        try folder.file("outside.txt", Data("secret".utf8))
        try folder.file("tree/a.txt")
        try folder.link("tree/out", to: "../outside.txt")
        try folder.link("tree/away", to: "/etc")
        try folder.archive()
        #expect(try folder.run("unzip", ["-p", "archive.zip", "tree/out"]).output == "../outside.txt")
        #expect(try folder.run("unzip", ["-p", "archive.zip", "tree/away"]).output == "/etc")
        #expect(try names().count == 4)
        try folder.run("unzip", ["-q", "archive.zip", "-d", "out"])
        let target = try FileManager.default.destinationOfSymbolicLink(
            atPath: folder.url.appendingPathComponent("out/tree/out").path)
        #expect(target == "../outside.txt")
    }

    @Test func modesSurvive() throws {
        let script = try folder.file("tree/run.sh", Data("#!/bin/sh\n".utf8))
        try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: script.path)
        try folder.archive()
        try folder.run("unzip", ["-q", "archive.zip", "-d", "out"])
        let status = try FileStatus.of(folder.url.appendingPathComponent("out/tree/run.sh").path)
        #expect(status.permissions == 0o750)
    }

    @Test func pipesAreLeftOutAndNamedAndDoNotBlock() throws {
        try folder.file("tree/a.txt")
        #expect(mkfifo(folder.url.appendingPathComponent("tree/pipe").path, 0o600) == 0)
        let report = try folder.archive()
        #expect(report.skipped.count == 1)
        #expect(try names() == ["tree/", "tree/a.txt"])
    }

    @Test func filesOfCompressedTypesAreStored() throws {
        let contents = Data(String(repeating: "a", count: 10_000).utf8)
        try folder.file("tree/photo.jpg", contents)
        try folder.file("tree/text.txt", contents)
        let output = try FileDescriptor.open(folder.archivePath, [.readWrite, .create], permissions: 0o600)
        try ZipArchiver.archive(
            directory: try folder.open("tree"), named: "tree", to: output, shouldStore: { $0.hasSuffix(".jpg") })
        let listing = try folder.run("unzip", ["-v", "archive.zip"]).output
        #expect(listing.contains("Stored"))
        #expect(listing.contains("Defl"))
    }

    @Test func aFileThatChangesMeanwhileFailsTheArchive() throws {
        let file = try folder.file("tree/a.txt", Data(count: 10_000_000))
        #expect(throws: ZipError.self) {
            try folder.archive(progress: { done, _ in
                if done > 0 { truncate(file.path, 10) }
            })
        }
        #expect(folder.archiveSize == 0)
    }

    @Test func anEntryThatVanishesMeanwhileFailsTheArchive() throws {
        for number in 0..<200 { try folder.file("tree/\(number)", Data(count: 100_000)) }
        #expect(throws: ZipError.self) {
            try folder.archive(progress: { done, _ in
                if done > 0 { unlink(folder.url.appendingPathComponent("tree/99").path) }
            })
        }
        #expect(folder.archiveSize == 0)
    }

    @Test func aCancelledArchiveLeavesTheOutputAsItWas() throws {
        try folder.file("tree/a.txt", Data(count: 50_000_000))
        var asked = 0
        #expect(throws: ZipError.cancelled) {
            try folder.archive(isCancelled: {
                asked += 1
                return asked > 2
            })
        }
        #expect(folder.archiveSize == 0)
    }

    @Test func anArchiveThatIsCancelledInItsLastMomentIsTakenBack() throws {
        for number in 0..<20 { try folder.file("tree/\(number)", Data(count: 200_000)) }
        var asked = 0
        try folder.archive(isCancelled: {
            asked += 1
            return false
        })
        let last = asked
        // The threads have ended by the last check, and must not be waited for again.
        for _ in 0..<50 {
            asked = 0
            #expect(throws: ZipError.cancelled) {
                try folder.archive(isCancelled: {
                    asked += 1
                    return asked >= last
                })
            }
            #expect(folder.archiveSize == 0)
        }
    }

    @Test func progressGrowsToTheSizeOfTheTree() throws {
        for number in 0..<10 { try folder.file("tree/\(number)", Data(count: 1_000_000)) }
        var seen: [Int] = []
        try folder.archive(progress: { done, total in
            #expect(total == 10_000_000)
            seen.append(done)
        })
        #expect(seen == seen.sorted())
        #expect(seen.last == 10_000_000)
    }

    @Test(arguments: ["", ".", "..", "a/b"])
    func aNameThatCannotBeAnEntryIsRefused(name: String) throws {
        try folder.file("tree/a.txt")
        let output = try FileDescriptor.open(folder.archivePath, [.readWrite, .create], permissions: 0o600)
        #expect(throws: ZipError.invalidName(name)) {
            try ZipArchiver.archive(directory: try folder.open("tree"), named: name, to: output)
        }
    }

    @Test func descriptorsAreClosedWhateverHappens() throws {
        // Other tests run at the same time and open files of their own, so only files in this directory count.
        func open() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { number in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + number)
                return target?.hasPrefix(folder.url.path) ?? false
            }
        }
        for number in 0..<300 { try folder.file("tree/\(number % 7)/\(number)", Data(count: 1000)) }
        try folder.archive()
        for round in 0..<20 { _ = try? folder.archive(isCancelled: { round.isMultiple(of: 2) }) }
        #expect(try open() == 0)
    }
}

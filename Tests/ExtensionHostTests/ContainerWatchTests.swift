import ExtensionHost
import FileTesting
import Foundation
import Glibc
import LinuxSystem
import Testing

@Suite struct ContainerWatchTests {
    private func folder() throws -> TestFolder {
        let folder = try TestFolder()
        try folder.folder("Documents")
        for number in 0..<20 { try folder.file("Documents/\(number)", [UInt8](repeating: 1, count: 8192)) }
        return folder
    }

    @Test func aContainerWithinItsLimitsIsNoReasonToEndTheProcess() throws {
        let folder = try folder()
        #expect(ContainerWatch.excess(in: [folder.path], .ofAction) == nil)
        #expect(ContainerWatch.excess(in: [folder.path], .init(entries: 21, bytes: 1 << 20)) == nil)
        #expect(ContainerWatch.excess(in: [folder.path + "/nothing"], .init(entries: 0, bytes: 0)) == nil)
    }

    @Test func filesAndTheirBytesAreCounted() throws {
        let folder = try folder()
        let entries = ContainerWatch.excess(in: [folder.path], .init(entries: 20, bytes: 1 << 20))
        #expect(entries?.reason == .madeTooManyFiles && entries?.status == 20)
        let bytes = ContainerWatch.excess(in: [folder.path], .init(entries: 100, bytes: 100 << 10))
        #expect(bytes?.reason == .tookTooMuchRoom && bytes?.status == 0)
        let message = ExtensionEnding(.tookTooMuchRoom, status: 16_384, lastLines: []).sentence
        #expect(message.contains("container took more than its limit of 16384 MiB"))
    }

    @Test func linksCountAsOneAndLeadNowhere() throws {
        let folder = try folder()
        let other = try TestFolder()
        try other.link("out", to: folder.path)
        #expect(ContainerWatch.excess(in: [other.path], .init(entries: 1, bytes: 1)) == nil)
        #expect(ContainerWatch.excess(in: [other.path], .init(entries: 0, bytes: 1))?.reason == .madeTooManyFiles)
    }

    /// Holes occupy no disk space, regardless of the size of the file.
    @Test func roomIsThatOnTheDisk() throws {
        let folder = try TestFolder()
        try folder.file("sparse").truncate(to: 1 << 40)
        #expect(ContainerWatch.excess(in: [folder.path], .init(entries: 10, bytes: 1 << 20)) == nil)
    }

    @Test func foldersCountTogetherAndWithFilesThatHaveNoName() throws {
        let (one, other) = (try folder(), try folder())
        let limits = ContainerWatch.Limits(entries: 41, bytes: 1 << 20)
        #expect(ContainerWatch.excess(in: [one.path], limits) == nil)
        #expect(ContainerWatch.excess(in: [one.path, other.path], limits)?.reason == .madeTooManyFiles)
        #expect(ContainerWatch.excess(in: [one.path], limits, nameless: 1 << 20)?.reason == .tookTooMuchRoom)
    }

    @Test func aDirectoryThatItsOwnerCannotReadIsCounted() throws {
        let folder = try folder()
        try #require(chmod(folder.path + "/Documents", 0o300) == 0)
        #expect(
            ContainerWatch.excess(in: [folder.path], .init(entries: 20, bytes: 1 << 20))?.reason == .madeTooManyFiles)
    }

    @Test func filesThatAreTooDeepToBeCountedAreTooMany() throws {
        let folder = try TestFolder()
        let names = [String](repeating: "d", count: 300)
        try FileManager.default.createDirectory(
            atPath: folder.path + "/" + names.dropLast(100).joined(separator: "/"), withIntermediateDirectories: true)
        #expect(ContainerWatch.excess(in: [folder.path], .ofAction) == nil)
        try FileManager.default.createDirectory(
            atPath: folder.path + "/" + names.joined(separator: "/"), withIntermediateDirectories: true)
        #expect(ContainerWatch.excess(in: [folder.path], .ofAction)?.reason == .madeTooManyFiles)
    }

    @Test func aTreeThatChangesAllTheTimeIsCountedToItsEnd() throws {
        let folder = try folder()
        try folder.folder("A")
        let change = "cd '\(folder.path)/A' && : >a && while :; do ln a b; rm b; done"
        let shell = try ChildProgram.start("/bin/sh", arguments: ["-c", change], descriptors: [])
        defer {
            kill(shell.processID, SIGKILL)
            _ = try? shell.wait()
        }
        for _ in 0..<100 where access(folder.path + "/A/a", F_OK) != 0 { usleep(10_000) }
        for _ in 0..<50 {
            #expect(
                ContainerWatch.excess(in: [folder.path], .init(entries: 21, bytes: 1 << 20))?.reason
                    == .madeTooManyFiles)
        }
    }
}

import Exchange
import Foundation
import Glibc
import ItemProvider
import LinuxSystem
import Testing
import UniformTypeIdentifiers

/// The permission bits of files that another process offers.
@Suite struct ModesAcrossProcessesTests {
    private let mask = CreationMask.current

    @Test func aCopyOfAnotherProcesssFileHasNoSpecialMode() async throws {
        try await PrivateDaemon.run { daemon in
            let file = daemon.work + "/picture.png"
            try Data("picture".utf8).write(to: URL(fileURLWithPath: file))
            #expect(chmod(file, 0o6777) == 0)
            let provider = try daemon.peer()
            _ = try await provider.ask("offer board file public.png \(file)", "offered")
            let item = try #require(try await daemon.board().items().first)
            let mode = try await item.loadFileRepresentation(for: .png) { url, _ in
                try FileStatus.of(url.path).permissions
            }
            #expect(mode == 0o777 & ~mask)
        }
    }

    @Test func aCopyOfAnotherProcesssFolderHasNoSpecialModesAndNoPipes() async throws {
        try await PrivateDaemon.run { daemon in
            let folder = daemon.work + "/Notes"
            try FileManager.default.createDirectory(atPath: folder + "/deep", withIntermediateDirectories: true)
            try Data("one".utf8).write(to: URL(fileURLWithPath: folder + "/deep/one.txt"))
            #expect(chmod(folder + "/deep/one.txt", 0o4666) == 0)
            #expect(chmod(folder + "/deep", 0o3777) == 0)
            #expect(mkfifo(folder + "/pipe", 0o666) == 0)
            let provider = try daemon.peer()
            _ = try await provider.ask("offer board file public.folder \(folder)", "offered")
            let item = try #require(try await daemon.board().items().first)
            let modes = try await item.loadFileRepresentation(for: .folder) { url, _ in
                #expect((try? FileStatus.of(url.path + "/pipe", followingLinks: false)) == nil)
                return [
                    try FileStatus.of(url.path + "/deep").permissions,
                    try FileStatus.of(url.path + "/deep/one.txt").permissions,
                ]
            }
            #expect(modes == [0o777 & ~mask, 0o666 & ~mask])
        }
    }
}

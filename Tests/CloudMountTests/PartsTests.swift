import CLinux
import CloudMount
import FileProvider
import FileProviderEngine
import FileTesting
import Foundation
import Glibc
import ItemStore
import ItemValues
import LinuxSystem
import ProgramTesting
import ProviderTesting
import TestThreads
import Testing

/// Tests of large files of a provider that serves byte ranges.
@Suite(.ownThreads, .enabled(if: canMount))
struct PartsTests {
    private static let size = 24 << 20
    private static let contents = pattern(size)

    private func withLargeFile(_ body: (MountedProvider, String) async throws -> Void) async throws {
        let identifier = Lock("")
        try await withMount {
            let file = $0.addFile("Large", Self.contents)
            identifier.withLock { $0 = file }
            $0.behave { $0.servesParts = true }
        } _: { (mount) throws in
            #expect(try mount.names() == ["Large"])
            try await body(mount, identifier.withLock { $0 })
        }
    }

    /// Returns the number of bytes that were requested as byte ranges.
    private func fetched(_ mount: MountedProvider) -> Int {
        mount.provider.requests.reduce(0) { sum, request in
            if case .part(_, let range) = request { sum + range.count } else { sum }
        }
    }

    private func read(_ file: FileDescriptor, _ range: Range<Int>) throws(Errno) -> [UInt8] {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: range.count, alignment: 16)
        defer { room.deallocate() }
        let count = try file.read(into: room, at: range.lowerBound)
        return Array(room[..<count])
    }

    private func state(_ mount: MountedProvider, _ name: String) -> String? {
        (try? mount.open(name))?.attribute("user.purvey.state")
    }

    @Test func theLastBytesAreReadWithoutTheOthers() async throws {
        try await withLargeFile { (mount, _) throws in
            #expect(try start("tail", "-c", "10", mount("Large")).waitForEnd().output == Data(Self.contents.suffix(10)))
            #expect(fetched(mount) <= 512 << 10 && mount.provider.count(.contents) == 0)
            mount.wait(until: { state(mount, "Large") == "partial" })
            mount.wait(until: { try mount.status("Large").allocatedSize == fetched(mount) })
            #expect(try mount.status("Large").size == Self.size)
        }
    }

    @Test func placesAnywhereAreReadAsTheyAre() async throws {
        try await withLargeFile { (mount, _) throws in
            let file = try mount.open("Large")
            for place in [20_000_000, 100, 12_345_678, 20_000_100, Self.size - 3, 7_000_000] {
                let end = min(Self.size, place + 5000)
                #expect(try read(file, place..<end) == Array(Self.contents[place..<end]))
            }
            #expect(fetched(mount) < Self.size / 4)
        }
    }

    @Test func copyingTheWholeFileMaterializesIt() async throws {
        try await withLargeFile { (mount, _) throws in
            let folder = try TestFolder()
            #expect(try start("cp", mount("Large"), folder.path + "/copy").waitForEnd().ending == .exited(0))
            #expect(try FileDescriptor.open(folder.path + "/copy", .readOnly).everything() == Self.contents)
            mount.wait(until: { state(mount, "Large") == "current" })
            #expect(mount.provider.count(.contents) == 0 && mount.provider.count(.part) < 24)
            mount.provider.hold(.part)
            // The file is read as any local file.
            #expect(try mount.bytes("Large") == Self.contents)
        }
    }

    @Test func aMappingIsFilledWhereItIsLookedAt() async throws {
        try await withLargeFile { (mount, _) throws in
            #expect(try start(mappingPeer.get(), "read", mount("Large")).waitForEnd().output == Data(Self.contents))
        }
    }

    @Test func seekingHolesNeedsNoBytes() async throws {
        try await withLargeFile { (mount, _) throws in
            let file = try mount.open("Large")
            #expect(lseek(file.rawValue, 1000, clinux_seek_data) == 1000)
            #expect(lseek(file.rawValue, 1000, clinux_seek_hole) == off_t(Self.size))
            #expect(lseek(file.rawValue, 0, SEEK_END) == off_t(Self.size))
            #expect(fetched(mount) == 0 && mount.provider.count(.contents) == 0)
        }
    }

    @Test func aSignalEndsOnlyTheReaderThatWaitsForItsPart() async throws {
        try await withLargeFile { (mount, _) throws in
            mount.provider.hold(.part)
            let reader = try start("cat", mount("Large"))
            mount.wait(until: { mount.provider.heldCount(.part) == 1 })
            let other = try start("tail", "-c", "10", mount("Large"))
            mount.wait(until: { mount.provider.heldCount(.part) == 2 })
            reader.send(SIGINT)
            #expect(try reader.waitForEnd().ending == .signalled(SIGINT))
            mount.provider.release(.part)
            #expect(try other.waitForEnd().output == Data(Self.contents.suffix(10)))
        }
    }

    @Test func noReaderGetsTwoVersionsInOne() async throws {
        try await withLargeFile { (mount, identifier) throws in
            let file = try mount.open("Large")
            #expect(try read(file, 0..<10) == Array(Self.contents.prefix(10)))
            let changed = Array(Self.contents.reversed())
            mount.provider.write(changed, to: identifier)
            mount.engine.signal(container: nil)
            mount.wait(
                until: {
                    try mount.engine.index.item(named: "Large", in: .root)?.item.contentVersion
                        == mount.provider.item(of: identifier)?.contentVersion
                })
            #expect(mount.failure { _ = try read(file, 10_000_000..<10_000_010) } == Errno(rawValue: ESTALE))
            // Programs that open the file now read the new version.
            mount.wait(until: { try read(try mount.open("Large"), 0..<10) == Array(changed.prefix(10)) })
            #expect(try mount.bytes("Large") == changed)
            #expect(try read(file, 0..<10) == Array(Self.contents.prefix(10)))
        }
        try await withLargeFile { (mount, identifier) throws in
            do { _ = try read(try mount.open("Large"), 0..<10) }
            let changed = Array(Self.contents.reversed())
            mount.provider.write(changed, to: identifier)
            mount.engine.signal(container: nil)
            mount.wait(until: { try read(try mount.open("Large"), 0..<10) == Array(changed.prefix(10)) })
            #expect(try mount.bytes("Large") == changed)
        }
    }

    @Test func writingOneByteSendsTheWholeFile() async throws {
        try await withLargeFile { (mount, identifier) throws in
            do {
                let reader = try mount.open("Large")
                _ = try read(reader, 0..<10)
                let file = try mount.open("Large", .readWrite)
                try [UInt8(1)].withUnsafeBytes { try file.writeAll($0, at: 10_000_000) }
                #expect(try read(reader, 10_000_000..<10_000_001) == [1])
            }
            mount.waitUntilSent()
            var expected = Self.contents
            expected[10_000_000] = 1
            #expect(mount.provider.bytes(of: identifier) == expected)
        }
    }
}

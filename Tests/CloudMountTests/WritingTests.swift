import CLinux
import CloudMount
import FileProvider
import FileProviderEngine
import FileTesting
import Foundation
import ItemValues
import LinuxSystem
import ProgramTesting
import ProviderTesting
import TestThreads
import Testing

@Suite(.ownThreads, .enabled(if: canMount))
struct WritingTests {
    @Test(arguments: [true, false])
    func writesReachTheProvider(passing: Bool) async throws {
        try await withMount(passing: passing) {
            $0.addFile("Old", "old")
        } _: { (mount) throws in
            try mount.write("new", to: "New")
            try mount.write("changed", to: "Old")
            #expect(try mount.text("New") == "new")
            #expect(try mount.status("Old").size == 7)
            mount.waitUntilSent()
            #expect(mount.provider.tree == ["New": "new", "Old": "changed"])
            // A file is truncated without a fetch.
            #expect(mount.provider.count(.contents) == 0)
        }
    }

    @Test(arguments: [true, false])
    func aFileIsChangedInTheMiddle(passing: Bool) async throws {
        var contents = pattern(200_000)
        try await withMount(passing: passing) {
            $0.addFile("File", contents)
        } _: { (mount) throws in
            let file = try mount.open("File", .readWrite)
            try file.overwrite(Array("middle".utf8), at: 100_000)
            contents.replaceSubrange(100_000..<100_006, with: Array("middle".utf8))
            #expect(try file.everything() == contents)
            #expect(try mount.bytes("File") == contents)
            try file.truncate(to: 150_000)
            contents.removeSubrange(150_000...)
            #expect(try file.status().size == 150_000)
            #expect(try mount.bytes("File") == contents)
            try file.synchronize()
            withExtendedLifetime(file) {}
        }
    }

    @Test(arguments: [true, false])
    func theEndIsWrittenTo(passing: Bool) async throws {
        try await withMount(passing: passing) { provider in
            provider.addFile("Log", "first\n")
            // A wrong size must not misplace appended data.
            let identifier = provider.addFile("Lie", "first\n")
            provider.update(identifier) { $0.size = 100 }
        } _: { (mount) throws in
            for name in ["Log", "Lie"] {
                for line in ["second\n", "third\n"] {
                    let file = try mount.open(name, [.writeOnly, .append])
                    try Array(line.utf8).withUnsafeBytes { try file.writeAll($0) }
                }
                #expect(try mount.text(name) == "first\nsecond\nthird\n")
            }
            mount.waitUntilSent()
            #expect(mount.provider.text(at: "Log") == "first\nsecond\nthird\n")
            #expect(mount.provider.text(at: "Lie") == "first\nsecond\nthird\n")
        }
    }

    @Test(arguments: [true, false])
    func aMappingIsWrittenTo(passing: Bool) async throws {
        var contents = pattern(100_000)
        try await withMount(passing: passing) {
            $0.addFile("File", contents)
        } _: { (mount) throws in
            let reader = try mount.open("File")
            // The last close also detects writes after the first close.
            for (step, place) in [("write", 0), ("write-closed", 50_000)] {
                let program = try start(mappingPeer.get(), step, mount("File"), "\(place)", "mapped")
                #expect(try program.waitForEnd().status == 0)
                contents.replaceSubrange(place..<(place + 6), with: Array("mapped".utf8))
                #expect(try mount.bytes("File") == contents)
                #expect(try reader.everything() == contents)
            }
            mount.wait(until: { mount.provider.bytes(at: "File") == contents })
        }
    }

    @Test func aPathIsCut() async throws {
        try await withMount { provider in
            provider.addFile("Shorter", "shorter")
            provider.addFile("Empty", "empty")
            provider.addFile("Longer", "longer")
        } _: { (mount) throws in
            #expect(truncate(mount("Shorter"), 5) == 0)
            #expect(truncate(mount("Empty"), 0) == 0)
            #expect(truncate(mount("Longer"), 10) == 0)
            #expect(try mount.text("Shorter") == "short")
            #expect(try mount.status("Empty").size == 0)
            #expect(try mount.bytes("Longer") == Array("longer".utf8) + [0, 0, 0, 0])
            mount.waitUntilSent()
            #expect(mount.provider.text(at: "Shorter") == "short")
            #expect(mount.provider.text(at: "Empty")?.isEmpty == true)
            #expect(mount.provider.bytes(at: "Longer")?.count == 10)
        }
    }

    @Test func aPathIsCutAtOnceAfterTheFileWasClosed() async throws {
        try await withMount(passing: false) {
            $0.addFile("File", "0123456789")
        } _: { (mount) throws in
            for size in 0..<200 {
                // The kernel sends the release of a file after close(2) has returned.
                try mount.write("0123456789", to: "File")
                try retrying { truncate(mount("File"), off_t(size % 10)) }
                #expect(try mount.text("File") == String("0123456789".prefix(size % 10)))
            }
            mount.waitUntilSent()
            #expect(mount.provider.text(at: "File") == "012345678")
        }
    }

    @Test func aFileThatIsOnlyOpenedForWritingIsNotSent() async throws {
        try await withMount {
            $0.addFile("File", "text")
        } _: { (mount) throws in
            #expect(try mount.text("File") == "text")
            for _ in 0..<3 { _ = try mount.open("File", .readWrite) }
            #expect(try mount.text("File") == "text")
            mount.waitUntilSent()
            #expect(mount.provider.count(.replaceContents) == 0)
        }
    }

    @Test func aFileThatMayNotBeWrittenIsNot() async throws {
        try await withMount { provider in
            let file = provider.addFile("File", "text")
            provider.update(file) { $0.capabilities = 1 }
            let folder = provider.addFolder("Folder")
            provider.update(folder) { $0.capabilities = 1 }
        } _: { (mount) throws in
            #expect(try mount.status("File").permissions == 0o444)
            #expect(try mount.status("Folder").permissions == 0o555)
            #expect(mount.failure { _ = try mount.open("File", .readWrite) } == .permissionDenied)
            #expect(mount.failure { try mount.write("text", to: "Folder/File") } == .permissionDenied)
            #expect(try mount.text("File") == "text")
        }
    }

    @Test func roomIsMadeAndHolesAreFound() async throws {
        try await withMount {
            $0.addFile("Other", pattern(10_000))
        } _: { (mount) throws in
            let file = try mount.open("File", [.readWrite, .create])
            #expect(clinux_fallocate(file.rawValue, 0, 0, 65536) == 0)
            #expect(try file.status().size == 65536)
            try file.truncate(to: 0)
            try file.truncate(to: 1 << 20)
            try file.overwrite(pattern(4096), at: 512 << 10)
            #expect(lseek(file.rawValue, 0, clinux_seek_data) == 512 << 10)
            #expect(lseek(file.rawValue, 512 << 10, clinux_seek_hole) == (512 << 10) + 4096)
            // The next call copies within the mount.
            let other = try mount.open("Other")
            var (from, to): (Int64, Int64) = (0, 0)
            #expect(clinux_copy_file_range(other.rawValue, &from, file.rawValue, &to, 10_000) == 10_000)
            #expect(try Array(file.everything().prefix(10_000)) == pattern(10_000))
        }
    }
}

import CLinux
import CloudMount
import FileProvider
import FileProviderEngine
import FileTesting
import Foundation
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

@Suite(.ownThreads, .enabled(if: canMount))
struct AttributeTests {
    private func attribute(_ name: String, of path: String) throws -> String? {
        try FileDescriptor.open(path, .readOnly).attribute(name)
    }

    @Test func anItemIsShownAsTheProviderSays() async throws {
        try await withMount { provider in
            let file = provider.addFile("Run", "text")
            provider.update(file) { item in
                item.modified = 1_234_567_890.5
                item.fileSystemFlags = 0b111
            }
            provider.addFolder("Folder")
        } _: { (mount) throws in
            let file = try mount.status("Run")
            #expect(file.permissions == 0o755)
            #expect(file.modified.tv_sec == 1_234_567_890 && file.modified.tv_nsec == 500_000_000)
            #expect(file.owner == getuid())
            #expect(file.linkCount == 1)
            #expect(file.allocatedSize == 0)
            #expect(try mount.status("Folder").permissions == 0o755)
            var disk = statvfs()
            #expect(statvfs(mount.path, &disk) == 0)
            #expect(disk.f_blocks > 0 && disk.f_namemax == 255)
        }
    }

    @Test func theStateIsToldInExtendedAttributes() async throws {
        try await withMount { provider in
            let file = provider.addFile("File", "text", identifier: "the file")
            provider.update(file) { $0.extendedAttributes = ["user.color": Array("red".utf8)] }
        } _: { (mount) throws in
            let path = mount("File")
            #expect(try attribute("user.purvey.state", of: path) == "dataless")
            #expect(try attribute("user.purvey.identifier", of: path) == "the file")
            #expect(try attribute("user.purvey.kept", of: path) == "0")
            #expect(try attribute("user.purvey.error", of: path) == nil)
            #expect(try attribute("user.color", of: path) == "red")
            #expect(try mount.text("File") == "text")
            #expect(try attribute("user.purvey.state", of: path) == "current")
            mount.provider.hold(.replaceContents)
            try mount.write("other", to: "File")
            #expect(try attribute("user.purvey.state", of: path) == "edited")
            mount.provider.release(.replaceContents)
            mount.waitUntilSent()
            #expect(try attribute("user.purvey.state", of: path) == "current")
            let file = try mount.open("File")
            #expect(mount.failure { try file.setAttribute("user.purvey.state", "mine") } == .notPermitted)
            #expect(mount.failure { try file.setAttribute("user.mine", "mine") } == .notSupported)
            let names = try RunningProgram("sh", "-c", "getfattr -d '\(path)' || true").end()
            #expect(names.output.isEmpty || names.output.contains("user.purvey.state"))
        }
    }

    @Test func modesAndDatesAreKept() async throws {
        try await withMount {
            $0.addFile("File", "text")
        } _: { (mount) throws in
            try retrying { chmod(mount("File"), 0o755) }
            #expect(try mount.status("File").permissions == 0o755)
            var times = [
                timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_100_000_000, tv_nsec: 250_000_000),
            ]
            try retrying { utimensat(AT_FDCWD, mount("File"), &times, 0) }
            #expect(try mount.status("File").modified.tv_sec == 1_100_000_000)
            // As tar does it: while the file is open.
            let file = try mount.open("New", [.writeOnly, .create])
            try file.overwrite(Array("text".utf8), at: 0)
            try retrying { futimens(file.rawValue, &times) }
            try retrying { fchmod(file.rawValue, 0o600) }
            #expect(try file.status().modified.tv_sec == 1_100_000_000)
            mount.wait(until: { true })
            try retrying { chown(mount("File"), getuid(), getgid()) }
            #expect(mount.failure { try retrying { chown(mount("File"), 12345, 12345) } } == .notPermitted)
        }
        try await withMount { _ in
        } _: { (mount) throws in
            var times = [
                timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_100_000_000, tv_nsec: 250_000_000),
            ]
            do {
                let file = try mount.open("New", [.writeOnly, .create])
                try file.overwrite(Array("text".utf8), at: 0)
                try retrying { futimens(file.rawValue, &times) }
                try retrying { fchmod(file.rawValue, 0o600) }
            }
            #expect(try mount.status("New").modified.tv_sec == 1_100_000_000)
            #expect(try mount.status("New").permissions == 0o600)
            mount.waitUntilSent()
            #expect(
                mount.provider.item(of: try #require(mount.provider.identifier(at: "New")))?.modified
                    == 1_100_000_000.25)
            #expect(try mount.status("New").modified.tv_sec == 1_100_000_000)
            #expect(try mount.status("New").permissions == 0o600)
        }
    }
}

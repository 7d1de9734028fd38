import CLinux
import CloudMount
import FileProvider
import FileProviderEngine
import FileProviderWire
import FileTesting
import Foundation
import ItemValues
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

@Suite(.ownThreads, .enabled(if: canMount))
struct AttributeTests {
    private func attribute(_ name: String, of path: String) throws -> String? {
        try FileDescriptor.open(path, .readOnly).attribute(name)
    }

    private func names(of path: String) throws -> [String] {
        try FileDescriptor.open(path, .readOnly).attributeNames()
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
            // A dataless file reports one block at least: see SparseReaderTests.
            #expect(file.allocatedSize == 512)
            #expect(try mount.status("Folder").permissions == 0o755)
            var disk = statvfs()
            #expect(statvfs(mount.path, &disk) == 0)
            #expect(disk.f_blocks > 0 && disk.f_namemax == 255)
        }
    }

    @Test func theRoomIsThatAtTheService() async throws {
        let (free, used): (UInt64, UInt64) = (40_960_000, 20_480_000)
        try await withMount { provider in
            provider.addFile("File", "text")
            let numbers: [String: ProviderItem.UserInfoValue] = [
                ProviderDomainState.quotaAvailableKey: .number(Double(free)),
                ProviderDomainState.quotaUsedKey: .number(Double(used)),
            ]
            provider.behave { $0.domainState = { ProviderDomainState(version: 1, userInfo: numbers) } }
        } _: { (mount) throws in
            #expect(try mount.names() == ["File"])
            mount.engine.signal(container: nil)
            var disk = statvfs()
            for _ in 0..<3_000 {
                #expect(statvfs(mount.path, &disk) == 0)
                if UInt64(disk.f_bfree) * UInt64(disk.f_frsize) == free { break }
                usleep(10_000)
            }
            #expect(UInt64(disk.f_bfree) * UInt64(disk.f_frsize) == free)
            #expect(UInt64(disk.f_blocks) * UInt64(disk.f_frsize) == free + used)
            #expect(disk.f_bavail <= disk.f_bfree)
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
            // On a busy machine the upload may have begun.
            #expect(["edited", "uploading"].contains(try attribute("user.purvey.state", of: path)))
            mount.provider.release(.replaceContents)
            mount.waitUntilSent()
            #expect(try attribute("user.purvey.state", of: path) == "current")
            let file = try mount.open("File")
            #expect(mount.failure { try file.setAttribute("user.purvey.state", "mine") } == .notPermitted)
            #expect(mount.failure { try file.removeAttribute("user.purvey.state") } == .notPermitted)
            // Listings omit the attribute, so that programs which copy attributes ignore it.
            #expect(try names(of: path) == ["user.color"])
        }
    }

    @Test func attributesThatProgramsSetAreKeptHere() async throws {
        try await withMount { provider in
            let file = provider.addFile("File", "text")
            provider.update(file) {
                $0.extendedAttributes = ["color": Array("red".utf8), "user.size": Array("XL".utf8)]
            }
            provider.addFolder("Folder")
        } _: { (mount) throws in
            let file = try mount.open("File")
            #expect(mount.failure { try file.setAttribute("user.mine", "one", if: true) } == .noData)
            try file.setAttribute("user.mine", "one", if: false)
            #expect(mount.failure { try file.setAttribute("user.mine", "two", if: false) } == .fileExists)
            try file.setAttribute("user.mine", "two", if: true)
            #expect(mount.failure { try file.setAttribute("trusted.mine", "two") } == .notSupported)
            #expect(mount.failure { try file.removeAttribute("user.none") } == .noData)
            // Attributes from the provider can be changed and removed locally.
            try file.setAttribute("user.color", "blue")
            try file.removeAttribute("user.size")
            #expect(mount.failure { try file.removeAttribute("user.size") } == .noData)
            try file.setAttribute("user.large", String(repeating: "l", count: 15_000))
            #expect(
                mount.failure { try file.setAttribute("user.larger", String(repeating: "l", count: 2_000)) } == .noSpace
            )
            #expect(try names(of: mount("File")) == ["user.color", "user.large", "user.mine"])
            for folder in ["Folder", "."] {
                try mount.open(folder, [.readOnly, .directory]).setAttribute("user.label", "green")
            }
            do {
                let new = try mount.open("New", [.readWrite, .create])
                try new.setAttribute("user.mine", "new")
                try new.overwrite(Array("text".utf8), at: 0)
            }

            // Local attributes stay after changes at the provider.
            try mount.write("other", to: "File")
            try retrying { rename(mount("New"), mount("Folder/Newer")) }
            mount.waitUntilSent()
            mount.provider.update(try #require(mount.provider.identifier(at: "File"))) { item in
                item.modified = 1_300_000_000
                item.extendedAttributes = ["color": Array("green".utf8), "user.shape": Array("round".utf8)]
            }
            mount.engine.signal(container: nil)
            mount.wait(until: { try attribute("user.shape", of: mount("File")) == "round" })
            #expect(try attribute("user.mine", of: mount("File")) == "two")
            #expect(try attribute("user.color", of: mount("File")) == "blue")
            #expect(try names(of: mount("File")) == ["user.color", "user.large", "user.mine", "user.shape"])
            #expect(try attribute("user.label", of: mount("Folder")) == "green")
            #expect(try attribute("user.label", of: mount.path) == "green")
            #expect(try attribute("user.mine", of: mount("Folder/Newer")) == "new")
            // A file that is created again under the name has no attributes.
            try retrying { unlink(mount("File")) }
            try mount.write("new", to: "File")
            #expect(try names(of: mount("File")) == [])
        }
    }

    @Test func aDateThatWasSetHereHoldsUntilTheProviderHasOtherContents() async throws {
        try await withMount {
            $0.addFile("File", "text")
        } _: { (mount) throws in
            let file = try #require(mount.provider.identifier(at: "File"))
            var times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_100_000_000, tv_nsec: 0)]
            try retrying { utimensat(AT_FDCWD, mount("File"), &times, 0) }
            try retrying { chmod(mount("File"), 0o700) }
            mount.provider.update(file) { item in
                item.modified = 1_300_000_000
                item.extendedAttributes = ["user.seen": Array("yes".utf8)]
            }
            mount.engine.signal(container: nil)
            mount.wait(until: { try attribute("user.seen", of: mount("File")) == "yes" })
            #expect(try mount.status("File").modified.tv_sec == 1_100_000_000)
            mount.provider.write("other", to: file)
            mount.provider.update(file) { $0.modified = 1_400_000_000 }
            mount.engine.signal(container: nil)
            mount.wait(until: { try mount.status("File").modified.tv_sec == 1_400_000_000 })
            #expect(try mount.text("File") == "other")
            #expect(try mount.status("File").permissions == 0o700)
        }
    }

    @Test func theRootHasADate() async throws {
        try await withMount { _ in
        } _: { (mount) throws in
            let before = try mount.status(".").modified.tv_sec
            #expect(before > 1_700_000_000)
            mount.provider.update(ProviderItem.rootIdentifier) { $0.modified = 1_500_000_000 }
            #expect(try mount.names() == [])
            mount.wait(until: { try mount.status(".").modified.tv_sec == 1_500_000_000 })
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
            // The date is set while the file is open, as tar does.
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

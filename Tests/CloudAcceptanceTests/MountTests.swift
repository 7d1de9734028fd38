import CloudTesting
import DaemonTesting
import FileTesting
import Foundation
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Tests of what programs do in the mount of each server.
@Suite(.ownThreads, .enabled(if: MountedServer.isWanted), .timeLimit(.minutes(TestSample.minutes(20))))
struct MountTests {
    static let names = CloudServer.sample(["nextcloud", "nginx"])

    @Test(arguments: Self.names)
    func `what programs do arrives at the server`(name: String) async throws {
        try await MountedServer.run(name) { place in
            let mount = place.mount()
            let large = Self.text(3_000_000)
            var tree = ["Folder": "folder", "Folder/a.txt": "one", "large.bin": large, "gone": "folder"]
            try Files.makeFolder(mount + "/Folder")
            try Files.makeFolder(mount + "/gone")
            try Files.write("one", to: mount + "/Folder/a.txt", O_WRONLY | O_CREAT | O_EXCL)
            try Files.write(large, to: mount + "/large.bin", O_WRONLY | O_CREAT | O_EXCL)
            try Files.write("one", to: mount + "/gone/b.txt", O_WRONLY | O_CREAT)
            tree["gone/b.txt"] = "one"
            try place.settle(on: tree)
            try place.evict("large.bin")
            let part = try Files.read(mount + "/large.bin", at: 1_000_001, 5_000)
            #expect(part.elementsEqual(large.utf8.dropFirst(1_000_001).prefix(5_000)))
            try Files.write(" and two", to: mount + "/Folder/a.txt", O_WRONLY | O_APPEND)
            try retrying { truncate(mount + "/large.bin", 1_000_000) }
            try Files.rename(mount + "/Folder", to: mount + "/Renamed")
            try Files.rename(mount + "/large.bin", to: mount + "/Renamed/moved.bin")
            try Files.remove(mount + "/gone/b.txt")
            try Files.removeFolder(mount + "/gone")
            tree = [
                "Renamed": "folder", "Renamed/a.txt": "one and two",
                "Renamed/moved.bin": String(large.prefix(1_000_000)),
            ]
            try place.settle(on: tree)
            // A save as editors do it.
            try Files.write("saved", to: mount + "/Renamed/a.txt.new", O_WRONLY | O_CREAT)
            try Files.rename(mount + "/Renamed/a.txt.new", to: mount + "/Renamed/a.txt")
            try Files.rename(mount + "/Renamed/moved.bin", to: mount + "/back.bin")
            tree = ["Renamed": "folder", "Renamed/a.txt": "saved", "back.bin": String(large.prefix(1_000_000))]
            try place.settle(on: tree)
        }
    }

    @Test(arguments: Self.names)
    func `a file has any name that the server takes, and no name costs a file`(name: String) async throws {
        try await MountedServer.run(name) { place in
            // nginx keeps names that begin with a dot, and lists none of them.
            let hidden = name == "nginx" ? [] : [".hidden"]
            let names =
                [
                    "composed \u{E9}.txt", "decomposed e\u{301}.txt", "twin \u{F6}.txt", "twin o\u{308}.txt",
                    "hash # sign",
                    "plus + sign", "percent %25 sign", "tab\there", "  spaces  ", "case.txt", "CASE.TXT",
                    "semi;colon&amp",
                    "question?", "quote\"'", "日本語", "[brackets]", "back\\slash", "colon:",
                ] + hidden
            var refused: [String] = []
            for name in names {
                do {
                    try Files.write("in " + name, to: place.mount() + "/" + name, O_WRONLY | O_CREAT | O_EXCL)
                } catch {
                    refused.append(name)
                }
            }
            let wanted = names.filter { !refused.contains($0) }
            let contents = wanted.map { Array("in \($0)".utf8) }
            var words = ""
            try place.settleOrStay {
                let found = try place.stage.entries().map { Array($0.contents.utf8) }
                words = "\(Set(contents).subtracting(found).map { String(decoding: $0, as: UTF8.self) })"
                return Set(contents).isSubset(of: found)
            }
            // A name that the server refuses stays here, and the user learns which it is.
            let here = try FileDescriptor.open(place.mount(), [.readOnly, .directory]).entries()
                .map { try Array(Files.read(place.mount() + "/" + $0.name.description).utf8) }
            #expect(Set(here) == Set(contents), "\(name)")
            let there = Set(try place.stage.entries().map { Array($0.contents.utf8) })
            let status = try place.status()
            for left in Set(contents).subtracting(there) {
                let file = String(decoding: left.dropFirst(3), as: UTF8.self)
                // xandikos lists some names in another form.
                if !file.contains("\\"), try place.stage.get(file) == "in \(file)" { continue }
                #expect(status.contains(file), "\(name): \(file) is not at the server, and \(status) does not say so")
            }
            if !words.isEmpty, words != "[]" { print("\(name) does not take \(words)") }
            if !refused.isEmpty { print("the mount does not take \(refused)") }
        }
    }

    @Test func `a file that nginx does not list stays in the mount`() async throws {
        try await MountedServer.run("nginx") { place in
            let mount = place.mount()
            try Files.write("one", to: mount + "/.hidden", O_WRONLY | O_CREAT)
            try Files.write("seen", to: mount + "/seen.txt", O_WRONLY | O_CREAT)
            // The other client, who reads the listings, sees only one of them.
            try place.settle { try place.stage.tree() == ["seen.txt": "seen"] ? nil : "the files are not sent" }
            try place.evict(".hidden")
            try place.stage.put("later.txt", "later")
            // The listing that finds this file lacks the other one.
            try place.settle { access(mount + "/later.txt", F_OK) == 0 ? nil : "the new file is not found" }
            #expect(try Tree.read(mount) == [".hidden": "one", "seen.txt": "seen", "later.txt": "later"])
            #expect(try place.status().contains("begin with a dot"))
        }
    }

    @Test(arguments: Self.names)
    func `a server that ends and comes back loses no edit`(name: String) async throws {
        try await MountedServer.run(name) { place in
            let mount = place.mount()
            let large = Self.text(6_000_000)
            try Files.write("one", to: mount + "/a.txt", O_WRONLY | O_CREAT)
            try Files.makeFolder(mount + "/Folder")
            try place.settle(on: ["a.txt": "one", "Folder": "folder"])
            // Some of the upload may have arrived.
            try Files.write(large, to: mount + "/Folder/large.bin", O_WRONLY | O_CREAT)
            try place.stage.killServer()
            try Files.write("without a server", to: mount + "/a.txt", O_WRONLY | O_TRUNC)
            try Files.write("new", to: mount + "/Folder/new.txt", O_WRONLY | O_CREAT)
            try Files.rename(mount + "/Folder", to: mount + "/Renamed")
            #expect(try place.waiting().count > 0)
            try place.stage.startServer()
            try place.settle(on: [
                "a.txt": "without a server", "Renamed": "folder", "Renamed/large.bin": large, "Renamed/new.txt": "new",
            ])
        }
    }

    @Test(arguments: Self.names)
    func `a file that is being uploaded moves with its folder`(name: String) async throws {
        try await MountedServer.run(name) { place in
            let mount = place.mount()
            try Files.makeFolder(mount + "/Folder")
            try Files.write("one", to: mount + "/Folder/a.txt", O_WRONLY | O_CREAT)
            try place.settle(on: ["Folder": "folder", "Folder/a.txt": "one"])
            try place.stage.fault(["method": "PUT", "hold": "before", "times": -1])
            try Files.write("changed", to: mount + "/Folder/a.txt", O_WRONLY | O_TRUNC)
            try Files.write("new", to: mount + "/Folder/b.txt", O_WRONLY | O_CREAT)
            while try place.stage.held() == 0 { usleep(50_000) }
            try Files.rename(mount + "/Folder", to: mount + "/Renamed")
            // Give the system time to send the rename, which some servers would carry out before the upload.
            sleep(3)
            try place.stage.clearFaults()
            try place.settle(on: ["Renamed": "folder", "Renamed/a.txt": "changed", "Renamed/b.txt": "new"])
        }
    }

    /// Returns a text without repetitions.
    private static func text(_ count: Int) -> String {
        var text = ""
        var number = 0
        while text.utf8.count < count {
            text += "\(number) "
            number += 1
        }
        return String(text.prefix(count))
    }
}

import CloudTesting
import DaemonTesting
import FileTesting
import Foundation
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Tests that no version of a file is lost when the user and another client change it, even on servers that ignore
/// preconditions.
@Suite(.ownThreads, .enabled(if: MountedServer.isWanted), .timeLimit(.minutes(TestSample.minutes(20))))
struct LostUpdateTests {
    @Test(arguments: CloudServer.sample(["nextcloud", "nginx"]))
    func `another client's change between reading and writing survives`(name: String) async throws {
        try await MountedServer.run(name) { place in
            let mount = place.mount()
            let files = ["same.txt", "longer.txt", "removed.txt", "theirs.txt", "renamed.txt"]
            for file in files { try Files.write("base", to: mount + "/" + file, O_WRONLY | O_CREAT) }
            try Files.makeFolder(mount + "/Folder")
            try Files.makeFolder(mount + "/Kept")
            try place.settle(
                on: Dictionary(uniqueKeysWithValues: files.map { ($0, "base") })
                    .merging(["Folder": "folder", "Kept": "folder"]) { $1 })
            for file in files { #expect(try Files.read(mount + "/" + file) == "base") }
            // The same size as ours, perhaps within a second.
            try place.stage.put("same.txt", "them 1")
            try Files.write("user 1", to: mount + "/same.txt", O_WRONLY | O_TRUNC)
            try place.stage.put("longer.txt", "them 2, longer")
            try Files.write("user 2", to: mount + "/longer.txt", O_WRONLY | O_TRUNC)
            // They changed what the user removes, and removed what the user changes.
            try place.stage.put("removed.txt", "them 3")
            try Files.remove(mount + "/removed.txt")
            try place.stage.remove("theirs.txt")
            try Files.write("user 4", to: mount + "/theirs.txt", O_WRONLY | O_TRUNC)
            try place.stage.put("renamed.txt", "them 5")
            try Files.rename(mount + "/renamed.txt", to: mount + "/other.txt")
            // Both made a file of one name.
            try place.stage.put("new.txt", "them 6")
            try Files.write("user 6", to: mount + "/new.txt", O_WRONLY | O_CREAT)
            // They put a file into a folder that the user removes.
            try place.stage.put("Folder/inner.txt", "them 7")
            try Files.removeFolder(mount + "/Folder")
            try place.settle(with: [
                "user 1", "them 1", "user 2", "them 2, longer", "them 3", "user 4", "them 5", "user 6", "them 6",
                "them 7",
            ])
        }
    }

    @Test(arguments: CloudServer.sample(["nginx"]))
    func `two users who write one file at the same time both keep what they wrote`(name: String) async throws {
        let domains = ["One", "Two"]
        try await MountedServer.run(name, domains: domains) { place in
            var kept: Set<String> = []
            for round in 0..<TestSample.count(4, of: 15) {
                let file = "file \(round).txt"
                try Files.write("base \(round)", to: place.mount("One") + "/" + file, O_WRONLY | O_CREAT)
                try place.settle(with: kept.union(["base \(round)"]))
                for domain in domains { _ = try Files.read(place.mount(domain) + "/" + file) }
                let errors = Lock<[any Error]>([])
                DispatchQueue.concurrentPerform(iterations: 2) { number in
                    do {
                        let text = "\(domains[number]) in round \(round)"
                        try Files.write(text, to: place.mount(domains[number]) + "/" + file, O_WRONLY | O_TRUNC)
                    } catch {
                        errors.withLock { $0.append(error) }
                    }
                }
                #expect(errors.withLock { $0 }.isEmpty)
                for domain in domains { kept.insert("\(domain) in round \(round)") }
                try place.settle(with: kept)
            }
        }
    }
}

import Foundation
import Testing

/// Domains without a network.
@Suite(.timeLimit(.minutes(20)), .enabled(if: CloudDomain.isWanted, "this machine cannot mount")) struct OfflineTests {
    @Test func aDaemonThatStartsWithoutANetworkServesItsFilesAndLosesNothing() async throws {
        try await CloudDomain.run { domain in
            let server = domain.server
            try await server.order("mkdir", ["user": "alice", "path": "Folder"])
            try await server.write("Folder/theirs.txt", "one")
            try await server.write("kept.txt", "kept")
            try await server.write("edited.txt", "old")
            try await server.write("removed.txt", "old")
            try await domain.add()
            #expect(try await domain.names() == ["Folder", "edited.txt", "kept.txt", "removed.txt"])
            #expect(try await domain.names("Folder") == ["theirs.txt"])
            try await domain.succeed("keep", "Cloud:kept.txt")
            try await domain.succeed("keep", "Cloud:edited.txt")
            try await domain.end()
            try await server.end()

            try await domain.start()
            try await domain.eventually("the domain is mounted") {
                try await domain.names() == ["Folder", "edited.txt", "kept.txt", "removed.txt"]
            }
            #expect(try await domain.names("Folder") == ["theirs.txt"])
            #expect(try await domain.read("kept.txt") == "kept")
            try await domain.write("new", to: "edited.txt")
            try await domain.write("made", to: "Folder/made.txt")
            try await onThread { [mount = domain.mount] in
                try FileManager.default.createDirectory(
                    atPath: mount + "/Made", withIntermediateDirectories: false)
                try FileManager.default.moveItem(atPath: mount + "/kept.txt", toPath: mount + "/Made/moved.txt")
                try FileManager.default.removeItem(atPath: mount + "/removed.txt")
            }
            #expect(try await domain.read("edited.txt") == "new")
            #expect(try await domain.read("Made/moved.txt") == "kept")
            // A second start without a network changes nothing.
            try await domain.end()
            try await domain.start()
            try await domain.eventually("the domain is mounted") {
                try await domain.names() == ["Folder", "Made", "edited.txt"]
            }
            #expect(try await domain.read("Folder/made.txt") == "made")

            try await server.start()
            try await server.write("Folder/theirs.txt", "changed meanwhile")
            try await server.write("arrived.txt", "arrived meanwhile")
            try await domain.eventually("the edits are at the server") {
                let edited = try await server.text("edited.txt")
                let made = try await server.text("Folder/made.txt")
                let moved = try await server.text("Made/moved.txt")
                let removed = try await server.text("removed.txt")
                return edited == "new" && made == "made" && moved == "kept" && removed == nil
            }
            try await domain.succeed("signal", "Cloud")
            try await domain.eventually("the changes of others are here") {
                let arrived = try? await domain.read("arrived.txt")
                let theirs = try? await domain.read("Folder/theirs.txt")
                return arrived == "arrived meanwhile" && theirs == "changed meanwhile"
            }
            #expect(try await domain.names() == ["Folder", "Made", "arrived.txt", "edited.txt"])
            #expect(try await domain.names("Made") == ["moved.txt"])
            #expect(try await server.text("kept.txt") == nil)
        }
    }
}

import CloudTesting
import DaemonTesting
import FileTesting
import Foundation
import Glibc
import LinuxSystem
import TestThreads
import Testing

/// Tests of the mount of a server that was restored from a backup.
@Suite(.ownThreads, .enabled(if: MountedServer.isWanted), .timeLimit(.minutes(20)))
struct RestoredServerTests {
    @Test func `a restored server removes nothing in the mount, and no edit is lost`() async throws {
        try await MountedServer.run("nextcloud") { place in
            let mount = place.mount()
            let base = ["same.txt": "same", "older.txt": "old", "edited.txt": "base", "Folder": "folder"]
            // The dates tell which of its states is newer.
            try place.stage.write("older.txt", "old", ago: 5_000)
            for (name, text) in base where text != "folder" && name != "older.txt" {
                try Files.write(text, to: mount + "/" + name, O_WRONLY | O_CREAT)
            }
            try Files.makeFolder(mount + "/Folder")
            try place.settle(on: base)
            try place.stage.backUp()
            try Files.write("newer contents", to: mount + "/older.txt", O_WRONLY | O_TRUNC)
            try Files.write("new", to: mount + "/new.txt", O_WRONLY | O_CREAT)
            try Files.write("inner", to: mount + "/Folder/inner.txt", O_WRONLY | O_CREAT)
            try Files.makeFolder(mount + "/Later")
            try Files.write("later", to: mount + "/Later/later.txt", O_WRONLY | O_CREAT)
            try Files.write("appended to", to: mount + "/appended.txt", O_WRONLY | O_CREAT)
            let newest = base.merging([
                "older.txt": "newer contents", "new.txt": "new", "Folder/inner.txt": "inner", "Later": "folder",
                "Later/later.txt": "later", "appended.txt": "appended to",
            ]) { $1 }
            try place.settle(on: newest)
            try place.stage.restoreBackup()
            // Edits before the daemon learns of the restored server, of a file that it has and of one that it lacks.
            try Files.write("edited by the user", to: mount + "/edited.txt", O_WRONLY | O_TRUNC)
            try Files.write(" once more", to: mount + "/appended.txt", O_WRONLY | O_APPEND)
            let sent: Set = ["edited by the user", "old", "newer contents", "same"]
            let kept = ["new.txt": "new", "Folder/inner.txt": "inner", "appended.txt": "appended to once more"]
            // The edit of a file that the server lacks waits for the user, who learns about it.
            let sentence = "restored from a backup without “appended.txt”"
            let deadline = ContinuousClock.now + .seconds(300)
            var isSettled = false
            while !isSettled, .now < deadline {
                try place.signal()
                usleep(500_000)
                let (here, there) = (Set(try Tree.read(mount).values), Set(try place.stage.tree().values))
                isSettled = try sent.isSubset(of: here.intersection(there)) && place.status().contains(sentence)
            }
            let (here, there) = (try Tree.read(mount), try place.stage.tree())
            #expect(sent.isSubset(of: here.values) && sent.isSubset(of: there.values), "\(here), \(there)")
            #expect(try place.status().contains(sentence))
            // Nothing that the server lacks was removed.
            #expect(kept.allSatisfy { here[$0.key] == $0.value } && here["Later/later.txt"] == "later", "\(here)")
        }
    }
}

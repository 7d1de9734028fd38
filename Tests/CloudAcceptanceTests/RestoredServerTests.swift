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
            for name in ["renamed.txt", "removed.txt"] {
                try Files.write(name, to: mount + "/" + name, O_WRONLY | O_CREAT)
            }
            let newest = base.merging([
                "older.txt": "newer contents", "new.txt": "new", "Folder/inner.txt": "inner", "Later": "folder",
                "Later/later.txt": "later", "appended.txt": "appended to", "renamed.txt": "renamed.txt",
                "removed.txt": "removed.txt",
            ]) { $1 }
            try place.settle(on: newest)
            try place.stage.restoreBackup()
            // Edits before the daemon learns of the restored server, of a file that it has and of one that it lacks.
            try Files.write("edited by the user", to: mount + "/edited.txt", O_WRONLY | O_TRUNC)
            try Files.write(" once more", to: mount + "/appended.txt", O_WRONLY | O_APPEND)
            try Files.rename(mount + "/renamed.txt", to: mount + "/other name.txt")
            try Files.write("edited, too", to: mount + "/other name.txt", O_WRONLY | O_TRUNC)
            try Files.remove(mount + "/removed.txt")
            // In a folder that it lacks: new items, and an edit.
            try Files.makeFolder(mount + "/Later/Deeper")
            try Files.write("deeper", to: mount + "/Later/Deeper/deeper.txt", O_WRONLY | O_CREAT)
            try Files.write("more", to: mount + "/Later/more.txt", O_WRONLY | O_CREAT)
            let sent: Set = ["edited by the user", "old", "newer contents", "same"]
            let kept = ["new.txt": "new", "Folder/inner.txt": "inner", "Later/later.txt": "later"]
            // The user's edits of files that the server lacks are sent as new files.
            let again = [
                "appended.txt": "appended to once more", "other name.txt": "edited, too", "Later": "folder",
                "Later/Deeper": "folder", "Later/Deeper/deeper.txt": "deeper", "Later/more.txt": "more",
            ]
            let deadline = ContinuousClock.now + .seconds(300)
            var isSettled = false
            while !isSettled, .now < deadline {
                try place.signal()
                usleep(500_000)
                let (here, there) = (try Tree.read(mount), try place.stage.tree())
                let both = Set(here.values).intersection(there.values)
                isSettled =
                    try sent.isSubset(of: both) && again.allSatisfy { there[$0.key] == $0.value }
                    && place.waiting().count == 0
            }
            let (here, there) = (try Tree.read(mount), try place.stage.tree())
            #expect(sent.isSubset(of: here.values) && sent.isSubset(of: there.values), "\(here), \(there)")
            #expect(again.allSatisfy { here[$0.key] == $0.value && there[$0.key] == $0.value }, "\(here), \(there)")
            // No edit waits.
            let waiting = try place.waiting()
            #expect(waiting.count == 0, "\(waiting.words)")
            // Nothing that the server lacks was removed, except by the user.
            #expect(kept.allSatisfy { here[$0.key] == $0.value && there[$0.key] == nil }, "\(here), \(there)")
            #expect(here["removed.txt"] == nil && there["removed.txt"] == nil, "\(here), \(there)")
        }
    }
}

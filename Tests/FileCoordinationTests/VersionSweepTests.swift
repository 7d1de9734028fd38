import FileCoordination
import Foundation
import Glibc
import TestThreads
import Testing

/// Removal of the versions of deleted items. The tests run in processes of their own, which simulate the passage of
/// time.
@Suite(.ownThreads) struct VersionSweepTests {
    /// A data directory, with an item that has a version.
    private struct Scene {
        let root: URL
        var item: URL { root.appendingPathComponent("files/a") }
        /// The file whose modification date is the date of the last sweep.
        var mark: URL { root.appendingPathComponent("home/data/versions/swept") }

        /// - Parameter isSwept: Whether today's sweep is recorded as done, so that only the test sweeps.
        init(isSwept: Bool = true) throws {
            root = URL(fileURLWithPath: "/var/tmp/purvey-test-\(UUID().uuidString)")
            try FileManager.default.createDirectory(
                at: root.appendingPathComponent("files"), withIntermediateDirectories: true)
            setenv("PURVEY_HOME", root.path + "/home", 1)
            setenv("PURVEY_COORDINATION", "process", 1)
            // Keeps the sweep out of the user's own directories.
            setenv("HOME", root.path, 1)
            if isSwept {
                try FileManager.default.createDirectory(
                    at: mark.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data().write(to: mark)
            }
            try Data("now".utf8).write(to: item)
            try NSFileVersion.addOfItem(at: item, withContentsOf: item)
        }

        func end() { try? FileManager.default.removeItem(at: root) }

        /// The number of stored directories with versions, and links to them.
        var kept: Int {
            ["items", "identities", "paths"].reduce(0) { count, name in
                let path = root.path + "/home/data/versions/" + name
                return count + ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).count
            }
        }

        func sweep(days: Double) { VersionSweep.run(now: Date() + days * 86_400) }

        func others(_ url: URL) -> Int? { NSFileVersion.otherVersionsOfItem(at: url)?.count }
    }

    @Test func versionsOfAnItemThatIsMissingForAMonthGo() async {
        await #expect(processExitsWith: .success) {
            let scene = try Scene()
            defer { scene.end() }
            for day in [0.0, 40, 80] { scene.sweep(days: day) }
            #expect(scene.others(scene.item) == 1)
            try FileManager.default.removeItem(at: scene.item)
            scene.sweep(days: 100)
            scene.sweep(days: 129)
            #expect(scene.kept == 3)
            scene.sweep(days: 131)
            #expect(scene.kept == 0)
        }
    }

    @Test func aVersionThatIsAddedHasItLookedOnceADay() async {
        await #expect(processExitsWith: .success) {
            let scene = try Scene(isSwept: false)
            defer { scene.end() }
            let first = try FileManager.default.attributesOfItem(atPath: scene.mark.path)[.systemFileNumber] as? Int
            try NSFileVersion.addOfItem(at: scene.item, withContentsOf: scene.item)
            let second = try FileManager.default.attributesOfItem(atPath: scene.mark.path)[.systemFileNumber] as? Int
            #expect(first == second)
            // A directory that a program left unfinished long ago.
            let left = scene.mark.deletingLastPathComponent().appendingPathComponent("new/left")
            try FileManager.default.createDirectory(at: left, withIntermediateDirectories: true)
            for url in [left, scene.mark] {
                var times = [timeval(tv_sec: 1000, tv_usec: 0), timeval(tv_sec: 1000, tv_usec: 0)]
                try #require(utimes(url.path, &times) == 0)
            }
            try NSFileVersion.addOfItem(at: scene.item, withContentsOf: scene.item)
            await eventually { !FileManager.default.fileExists(atPath: left.path) }
            #expect(scene.others(scene.item) == 3)
        }
    }

    @Test func versionsOfAnItemThatComesBackOrWasMovedStay() async {
        await #expect(processExitsWith: .success) {
            let scene = try Scene()
            defer { scene.end() }
            let (away, moved) = (
                scene.root.appendingPathComponent("away"), scene.root.appendingPathComponent("files/b")
            )
            try FileManager.default.moveItem(at: scene.item, to: away)
            scene.sweep(days: 0)
            try FileManager.default.moveItem(at: away, to: scene.item)
            scene.sweep(days: 20)
            try FileManager.default.moveItem(at: scene.item, to: moved)
            // After being missing for a day, and then for long, the item is searched for and found.
            scene.sweep(days: 40)
            scene.sweep(days: 41)
            scene.sweep(days: 80)
            #expect(scene.others(moved) == 1)
            scene.sweep(days: 200)
            scene.sweep(days: 300)
            #expect(scene.others(moved) == 1)
            // A clock that was set back makes no item older.
            try FileManager.default.removeItem(at: moved)
            scene.sweep(days: 400)
            scene.sweep(days: 350)
            scene.sweep(days: 370)
            #expect(scene.kept > 0)
        }
    }

    @Test func versionsOfAnItemOnADiskThatIsNotThereStay() async {
        await #expect(processExitsWith: .success) {
            let scene = try Scene()
            defer { scene.end() }
            let far = URL(fileURLWithPath: "/dev/shm/purvey-test-\(UUID().uuidString)")
            guard (try? FileManager.default.createDirectory(at: far, withIntermediateDirectories: false)) != nil else {
                if getenv("CI") != nil { Issue.record("/dev/shm cannot be used") }
                return
            }
            let item = far.appendingPathComponent("a")
            defer { try? FileManager.default.removeItem(at: far) }
            try Data("far".utf8).write(to: item)
            try NSFileVersion.addOfItem(at: item, withContentsOf: item)
            let before = scene.kept
            // Simulates that the file system was mounted at a directory of this disk.
            let folder = scene.root.path + "/home/data/versions/items"
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let trace = URL(fileURLWithPath: folder + "/" + name + "/identity")
                let bytes = try Data(contentsOf: trace)
                guard let place = bytes.range(of: Data("/dev/shm/".utf8)) else { continue }
                try bytes.replacingSubrange(place, with: Data("/var/tmp/".utf8)).write(to: trace)
            }
            for day in [100.0, 150, 200] { scene.sweep(days: day) }
            #expect(scene.kept == before)
        }
    }

    @Test func versionsGoWithAnItemThatIsDeletedUnderACoordinator() async {
        await #expect(processExitsWith: .success) {
            let scene = try Scene()
            defer { scene.end() }
            func delete(_ body: (URL) throws -> Void) {
                NSFileCoordinator(filePresenter: nil).coordinate(
                    writingItemAt: scene.item, options: .forDeleting, error: nil
                ) { url in
                    do { try body(url) } catch { Issue.record(error) }
                }
            }
            // The item still exists in the trash or under another hard link.
            let trash = scene.root.appendingPathComponent("trash")
            delete { try FileManager.default.moveItem(at: $0, to: trash) }
            #expect(scene.others(trash) == 1)
            try FileManager.default.linkItem(at: trash, to: scene.item)
            delete { try FileManager.default.removeItem(at: $0) }
            #expect(scene.others(trash) == 1)
            try FileManager.default.moveItem(at: trash, to: scene.item)
            delete { _ in }
            #expect(scene.others(scene.item) == 1)
            delete { try FileManager.default.removeItem(at: $0) }
            let items = scene.root.path + "/home/data/versions/items"
            #expect(try FileManager.default.contentsOfDirectory(atPath: items).isEmpty)
            try Data("again".utf8).write(to: scene.item)
            #expect(scene.others(scene.item) == 0)
        }
    }
}

extension Data {
    fileprivate func replacingSubrange(_ range: Range<Data.Index>, with bytes: Data) -> Data {
        var copy = self
        copy.replaceSubrange(range, with: bytes)
        return copy
    }
}

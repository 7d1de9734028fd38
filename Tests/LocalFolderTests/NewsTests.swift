import FileProvider
import FileTesting
import Glibc
import LinuxSystem
import LocalFolder
import Synchronization
import TestThreads
import Testing

/// The kernel's notifications about a served directory, and the scans that replace missing notifications.
@Suite(.ownThreads) struct NewsTests {
    /// A watcher that uses inotify, up to a number of watches that the test sets.
    private final class Watcher: FolderWatcher {
        let notices: FolderNotices
        private let room: Atomic<Int>
        let refusals = Atomic(0)

        init(room: Int = .max) throws {
            notices = try FolderNotices()
            self.room = Atomic(room)
        }

        func watch(_ folder: FileDescriptor) throws(Errno) -> FolderNotices.Number {
            guard room.load(ordering: .relaxed) > 0 else {
                refusals.wrappingAdd(1, ordering: .relaxed)
                throw .noSpace
            }
            room.wrappingSubtract(1, ordering: .relaxed)
            return try notices.add(folder)
        }
    }

    /// Lists a directory as the system does, so that it is watched.
    private func list(_ served: ServedFolder, _ identifier: String? = nil) throws -> [String: String] {
        try served.catalogue.perform { catalogue in
            let number = try identifier.map { try catalogue.item($0).number } ?? CatalogueItem.root
            try catalogue.lookAt(number)
            return Dictionary(
                uniqueKeysWithValues: try catalogue.children(of: number).map {
                    ($0.filename, catalogue.identifier(of: $0.number))
                })
        }
    }

    private func lookAtNews(_ served: ServedFolder) throws -> Bool {
        try served.catalogue.perform { try $0.lookAtNews() }
    }

    /// Handles notifications until there are none.
    private func settle(_ served: ServedFolder) throws {
        for _ in 0..<100 where try lookAtNews(served) {}
    }

    private func names(_ served: ServedFolder, since anchor: [UInt8]) throws -> Set<String> {
        let changes = try served.catalogue.perform { try $0.changes(since: anchor, in: nil, limit: .max) }
        return Set(try #require(changes).updated.map(\.filename))
    }

    @Test func onlyTheFolderInWhichSomethingChangedIsLookedAt() throws {
        let served = try ServedFolder(watcher: Watcher())
        for name in ["a", "b"] { try served.folder.folder(name) }
        let folders = try list(served)
        for folder in folders.values { _ = try list(served, folder) }
        try settle(served)
        #expect(try !lookAtNews(served))
        let anchor = try served.anchor
        try served.folder.file("a/new", [1])
        let a = try #require(folders["a"])
        let number = try served.catalogue.perform { try $0.item(a).number }
        #expect(served.catalogue.watches.news == [number])
        #expect(try lookAtNews(served))
        #expect(try names(served, since: anchor) == ["a", "new"])
    }

    @Test func everyKindOfChangeIsTold() throws {
        let served = try ServedFolder(watcher: Watcher())
        try served.folder.file("a", [1])
        try served.folder.file("gone")
        _ = try list(served)
        try settle(served)
        let steps: [(String, () throws -> Void)] = [
            ("written", { try served.folder.descriptor.open("a", [.writeOnly]).overwrite([1, 2], at: 0) }),
            ("cut", { try retrying { truncate(served.folder.path + "/a", 1) } }),
            ("renamed", { try served.rename("a", "b") }),
            ("made executable", { try retrying { chmod(served.folder.path + "/b", 0o755) } }),
            ("linked", { try served.folder.link("link", to: "b") }),
            ("a folder", { try served.folder.folder("folder") }),
            ("removed", { try served.remove("gone") }),
            (
                "saved by rename",
                {
                    try served.folder.file("b.new", [3])
                    try served.rename("b.new", "b")
                }
            ),
        ]
        for (what, step) in steps {
            try step()
            #expect(try lookAtNews(served), "\(what)")
            #expect(try !lookAtNews(served), "\(what)")
        }
    }

    /// Writing through a hard link in another directory causes no notification, so that only a scan of the whole
    /// directory finds the change.
    @Test(arguments: [(1, false), (1_100, true)])
    func onlyReportedNamesOfAFolderAreReadUnlessThereAreMany(_ count: Int, _ isWhole: Bool) throws {
        let served = try ServedFolder(watcher: Watcher())
        let aside = try TestFolder()
        for name in ["a", "untold"] { try served.folder.file(name, [1]) }
        _ = try list(served)
        try settle(served)
        try retrying { link(served.folder.path + "/untold", aside.path + "/link") }
        try settle(served)
        let anchor = try served.anchor
        try aside.descriptor.open("link", [.writeOnly]).overwrite([1, 2, 3], at: 0)
        for number in 0..<count { try served.folder.file("new \(number)", [1]) }
        try settle(served)
        let names = try names(served, since: anchor)
        #expect(names == Set((0..<count).map { "new \($0)" } + (isWhole ? ["untold"] : [])))
        #expect(try served.catalogue.perform { try $0.lookAtAll() } == !isWhole)
    }

    @Test func itemsThatChangePlacesStayTheSame() throws {
        let served = try ServedFolder(watcher: Watcher())
        try served.folder.folder("inner")
        for name in ["a", "b", "c", "d"] { try served.folder.file(name, [1]) }
        let inner = try #require(try list(served)["inner"])
        _ = try list(served, inner)
        let before = try list(served)
        try settle(served)
        for (from, to) in [("a", "aside"), ("b", "a"), ("aside", "b"), ("c", "inner/c"), ("d", "c")] {
            try served.rename(from, to)
        }
        try settle(served)
        #expect(try list(served)["a"] == before["b"])
        #expect(try list(served)["b"] == before["a"])
        #expect(try list(served).keys.sorted() == ["a", "b", "c", "inner"])
        #expect(try list(served, inner).count == 1)
    }

    @Test func aFolderThatIsFilledAtOnceIsSeenInFull() throws {
        let served = try ServedFolder(watcher: Watcher())
        _ = try list(served)
        try settle(served)
        try served.folder.folder("new")
        try served.folder.folder("new/inner")
        try served.folder.file("new/inner/a", [1])
        #expect(try lookAtNews(served))
        let new = try #require(try list(served)["new"])
        let inner = try #require(try list(served, new)["inner"])
        try served.folder.file("new/inner/b", [1])
        #expect(try list(served, inner).count == 2)
        try served.folder.file("new/inner/c", [1])
        #expect(try lookAtNews(served))
        #expect(try served.catalogue.perform { try $0.childCount(of: try $0.item(inner).number) } == 3)
    }

    @Test func anotherFolderInTheSamePlaceIsLookedAtAndWatched() throws {
        let served = try ServedFolder(watcher: Watcher())
        let aside = try TestFolder()
        try served.folder.folder("place")
        try served.folder.file("place/old", [1])
        let place = try #require(try list(served)["place"])
        _ = try list(served, place)
        try settle(served)
        try aside.folder("other")
        try aside.file("other/new", [1])
        try served.rename("place", "away")
        try retrying { rename(aside.path + "/other", served.folder.path + "/place") }
        try retrying { rename(served.folder.path + "/away", aside.path + "/away") }
        try settle(served)
        let now = try #require(try list(served)["place"])
        #expect(try list(served, now).keys.sorted() == ["new"])
        try served.folder.file("place/later", [1])
        #expect(try lookAtNews(served))
        // A directory that is no longer served sends no notifications.
        try aside.file("away/unseen", [1])
        try settle(served)
        #expect(try served.catalogue.perform { try $0.childCount(of: try $0.item(now).number) } == 2)
    }

    @Test func moreNewsThanTheKernelKeepsIsALookAtEverything() throws {
        let served = try ServedFolder(watcher: Watcher())
        try served.folder.folder("inner")
        let inner = try #require(try list(served)["inner"])
        _ = try list(served, inner)
        try settle(served)
        // Alternating names, because the kernel merges several identical notifications.
        let file = try FileDescriptor.open("/proc/sys/fs/inotify/max_queued_events", [.readOnly])
        let limit = try #require(Int(String(decoding: try file.readToEnd(limit: 20).dropLast(), as: UTF8.self)))
        try served.folder.file("a")
        for _ in 0...(limit / 4) {
            try served.rename("a", "b")
            try served.rename("b", "a")
        }
        try served.folder.file("inner/after", [1])
        #expect(try lookAtNews(served))
        #expect(try served.catalogue.perform { try $0.childCount(of: try $0.item(inner).number) } == 1)
    }

    @Test func foldersArePolledWhenWatchesRunOut() throws {
        let watcher = try Watcher(room: 1)
        let served = try ServedFolder(watcher: watcher)
        try served.folder.folder("inner")
        let inner = try #require(try list(served)["inner"])
        _ = try list(served, inner)
        for name in ["a", "b", "c"] {
            try served.folder.file("inner/\(name)", [1])
            #expect(try lookAtNews(served))
        }
        #expect(try served.catalogue.perform { try $0.childCount(of: try $0.item(inner).number) } == 3)
        // The watch is not requested again and again.
        #expect(watcher.refusals.load(ordering: .relaxed) == 1)
    }

    @Test func afterAnyChangesNothingIsFoundThatWasNotTold() throws {
        let served = try ServedFolder(watcher: Watcher())
        var random = RandomNumbers(seed: 20)
        var folders = ["."]
        var made = 0
        for round in 0..<400 {
            let folder = folders.randomElement(using: &random) ?? "."
            let names = (try? served.folder.names(folder)) ?? []
            let path = folder + "/" + (names.randomElement(using: &random) ?? "none")
            let other = (folders.randomElement(using: &random) ?? ".") + "/n\(made)"
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1: _ = try? served.folder.file(other, [1])
            case 2:
                if (try? served.folder.folder(other)) != nil { folders.append(other) }
            case 3: unlinkat(served.folder.descriptor.rawValue, path, 0)
            case 4: unlinkat(served.folder.descriptor.rawValue, path, CInt(AT_REMOVEDIR))
            case 5, 6: renameat(served.folder.descriptor.rawValue, path, served.folder.descriptor.rawValue, other)
            default: try? served.folder.descriptor.open(path, [.writeOnly]).overwrite([UInt8(round % 256)], at: round)
            }
            made += 1
            if round % 3 == 0 { _ = try lookAtNews(served) }
            if round % 20 == 0 { try listEverything(served) }
            if round % 50 == 49 {
                // A directory that was never listed sends no notifications.
                try listEverything(served)
                try settle(served)
                #expect(try !served.catalogue.perform { try $0.lookAtAll() }, "in round \(round)")
            }
        }
    }

    private func listEverything(_ served: ServedFolder) throws {
        var folders: [String?] = [nil]
        while let folder = folders.popLast() {
            for identifier in try list(served, folder).values
            where try served.catalogue.perform({ try $0.item(identifier).facts.kind == .folder }) {
                folders.append(identifier)
            }
        }
    }
}

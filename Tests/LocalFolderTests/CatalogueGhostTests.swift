import FileTesting
import Glibc
import LinuxSystem
import LocalFolder
import TestThreads
import Testing

/// Items in a directory that disappears with its contents.
@Suite(.ownThreads) struct CatalogueGhostTests {
    /// A directory "photos" with two files and a subdirectory, all of them just created and listed.
    private struct Photos {
        let served: ServedFolder
        let elsewhere: TestFolder
        let before: [UInt8]
        let photos: String
        let inner: Set<String>

        init() throws {
            served = try ServedFolder()
            elsewhere = try TestFolder()
            _ = try served.identifiers()
            before = try served.anchor
            // Each directory is listed before it has items, because the items of a first listing are not changes.
            try served.folder.folder("photos")
            photos = try #require(try served.identifiers()["photos"])
            #expect(try served.identifiers(in: photos).isEmpty)
            try served.folder.folder("photos/2020")
            let year = try #require(try served.identifiers(in: photos)["2020"])
            #expect(try served.identifiers(in: year).isEmpty)
            for name in ["photos/a.jpg", "photos/b.jpg", "photos/2020/c.jpg"] { try served.folder.file(name, [1]) }
            inner = Set(try served.identifiers(in: photos).values).union(try served.identifiers(in: year).values)
            #expect(inner.count == 4)
        }

        func goAway() throws {
            let (here, there) = (served.folder.descriptor.rawValue, elsewhere.descriptor.rawValue)
            try retrying { renameat(here, "photos", there, "photos") }
        }

        func comeBack(as name: String = "photos") throws {
            let (here, there) = (served.folder.descriptor.rawValue, elsewhere.descriptor.rawValue)
            try retrying { renameat(there, "photos", here, name) }
        }

        func changes(since anchor: [UInt8]) throws -> CatalogueChanges {
            try #require(try served.changes(since: anchor))
        }
    }

    @Test func isToldToBeGoneWithIt() throws {
        let photos = try Photos()
        try photos.goAway()
        let changes = try photos.changes(since: photos.before)
        #expect(changes.updated.isEmpty)
        #expect(Set(changes.deleted) == photos.inner.union([photos.photos]))
    }

    @Test func isToldToBeGoneWhenTheFolderIsRemoved() throws {
        let photos = try Photos()
        let folder = photos.served.folder.descriptor.rawValue
        for name in ["photos/a.jpg", "photos/b.jpg", "photos/2020/c.jpg"] { try photos.served.remove(name) }
        for name in ["photos/2020", "photos"] { try retrying { unlinkat(folder, name, AT_REMOVEDIR) } }
        let changes = try photos.changes(since: photos.before)
        #expect(changes.updated.isEmpty)
        #expect(Set(changes.deleted) == photos.inner.union([photos.photos]))
    }

    @Test func isToldAgainWhenItComesBack() throws {
        let photos = try Photos()
        let present = try photos.served.anchor
        try photos.goAway()
        // Up to this anchor the items are reported as deleted.
        let between = try photos.changes(since: photos.before)
        try photos.comeBack(as: "pictures")
        #expect(try photos.served.identifiers()["pictures"] == photos.photos)
        for anchor in [photos.before, present, between.anchor] {
            let changes = try photos.changes(since: anchor)
            #expect(changes.deleted.isEmpty)
            let told = try photos.served.catalogue.perform { catalogue in
                Set(changes.updated.map { catalogue.identifier(of: $0.number) })
            }
            #expect(told == photos.inner.union([photos.photos]))
        }
    }

    @Test func isToldAgainWhenItIsTakenOutOfTheTrash() throws {
        let photos = try Photos()
        let between = try photos.served.catalogue.perform { catalogue in
            _ = try catalogue.trash(try catalogue.item(photos.photos))
            return try catalogue.anchor()
        }
        #expect(Set(try photos.changes(since: photos.before).deleted) == photos.inner)
        _ = try photos.served.catalogue.perform { try $0.untrash(try $0.item(photos.photos), to: nil) }
        let told = try photos.changes(since: between).updated.map(\.filename)
        #expect(Set(told) == ["photos", "2020", "a.jpg", "b.jpg", "c.jpg"])
    }

    @Test func aFileInThePlaceOfAFolderTakesWhatWasInItAlong() throws {
        let photos = try Photos()
        try photos.goAway()
        try photos.served.folder.file("photos", [1, 2, 3])
        let changes = try photos.changes(since: photos.before)
        #expect(changes.updated.map(\.filename) == ["photos"])
        #expect(changes.updated.first?.facts.kind == .file)
        #expect(Set(changes.deleted) == photos.inner.union([photos.photos]))
    }

    @Test func isNotAmongTheMarkedItems() throws {
        let photos = try Photos()
        let served = photos.served
        try served.folder.file("kept", [1])
        let kept = try #require(try served.identifiers()["kept"])
        try served.catalogue.perform { catalogue in
            for identifier in photos.inner.union([kept]) {
                _ = try catalogue.mark(try catalogue.item(identifier)) { $0.favoriteRank = 1 }
            }
        }
        func marked() throws -> [String] {
            try served.catalogue.perform { try $0.markedItems(after: 0, limit: 1).map(\.filename) }
        }
        #expect(try served.catalogue.perform { try $0.markedItems(after: 0, limit: 100).count } == 5)
        try photos.goAway()
        _ = try served.identifiers()
        // A page that is not full is the last one.
        #expect(try marked() == ["kept"])
        #expect(try served.catalogue.perform { try $0.markedItems(after: 0, limit: 100).count } == 1)
    }
}

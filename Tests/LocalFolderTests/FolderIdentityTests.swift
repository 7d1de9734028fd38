import FileTesting
import Glibc
import LinuxSystem
import LocalFolder
import TestThreads
import Testing

/// Disks that are exchanged at the path of the served directory.
@Suite(.ownThreads) struct FolderIdentityTests {
    /// A path at which one of several disks is mounted, as at a mount point.
    private struct Slot {
        let place: TestFolder
        let own: TestFolder
        var path: String { place.path + "/disk" }

        init() throws { (place, own) = (try TestFolder(), try TestFolder()) }

        func plug(_ disk: String) throws {
            unlink(path)
            try place.link("disk", to: disk)
        }

        func catalogue() throws -> SharedCatalogue {
            try SharedCatalogue(of: path, store: own.path + "/catalogue.db")
        }
    }

    private func edit(_ slot: Slot) throws -> String {
        unlinkat(slot.own.descriptor.rawValue, "edit", 0)
        try slot.own.file("edit", [7, 7, 7])
        return slot.own.path + "/edit"
    }

    private func content(_ disk: TestDisk, _ name: String) throws -> [UInt8] {
        try disk.descriptor.open(name, [.readOnly]).everything()
    }

    private func fill(_ disk: TestDisk, _ bytes: [UInt8]) throws {
        try disk.descriptor.open("a", [.writeOnly, .create]).overwrite(bytes, at: 0)
    }

    @Test(
        arguments: [TestDisk.Kind.tmpfs, .ramfs].filter { TestDisk.isWanted($0) })
    func anotherDiskIsNotTouchedAndTheOneThatComesBackIsServedOn(_ kind: TestDisk.Kind) throws {
        let (disk, other) = (try TestDisk(kind, megabytes: 8), try TestDisk(kind, megabytes: 8))
        // Many file systems give the root of every disk the same inode number.
        if kind == .tmpfs {
            #expect(try disk.descriptor.status().identity.inode == other.descriptor.status().identity.inode)
        }
        try fill(disk, [1])
        try fill(other, [2])
        let slot = try Slot()
        try slot.plug(disk.path)
        let (identifier, anchor) = try servedFirst(slot)
        // The catalogue remains open while the disks are exchanged.
        let catalogue = try slot.catalogue()
        try slot.plug(other.path)
        for _ in 0..<2 {
            #expect(throws: FolderError.self) { try catalogue.perform { try $0.lookAt(CatalogueItem.root) } }
            #expect(throws: FolderError.self) { try catalogue.perform { try $0.lookAtAll() } }
            #expect(throws: FolderError.self) {
                try catalogue.replace(identifier, withContentsOf: try edit(slot))
            }
        }
        #expect(try content(other, "a") == [2])
        #expect(try other.names() == ["a"])
        do {
            _ = try catalogue.perform { try $0.item(identifier) }
            Issue.record("it is served")
        } catch {
            #expect(error.description.contains("another folder"), "\(error)")
        }
        try slot.plug(disk.path)
        _ = try catalogue.replace(identifier, withContentsOf: try edit(slot))
        #expect(try content(disk, "a") == [7, 7, 7])
        let changes = try catalogue.perform { try $0.changes(since: anchor, in: nil, limit: .max) }
        #expect(changes?.deleted.isEmpty == true)
    }

    private func servedFirst(_ slot: Slot) throws -> (identifier: String, anchor: [UInt8]) {
        let catalogue = try slot.catalogue()
        return try catalogue.perform { catalogue in
            try catalogue.lookAt(CatalogueItem.root)
            let item = try #require(
                try catalogue.children(of: CatalogueItem.root, limit: 10).first { $0.filename == "a" })
            return (catalogue.identifier(of: item.number), try catalogue.anchor())
        }
    }

    /// The mark of the catalogue is in the trash.
    @Test(arguments: [TestDisk.Kind.ramfs].filter { TestDisk.isWanted($0) })
    func aDiskIsServedOnWhoseTrashIsFromBeforeTrashesHadLabels(_ kind: TestDisk.Kind) throws {
        let disk = try TestDisk(kind, megabytes: 8)
        try fill(disk, [1])
        let slot = try Slot()
        try slot.plug(disk.path)
        let before = try servedFirst(slot)
        try retrying { unlinkat(disk.descriptor.rawValue, ".purvey-trash/purvey", 0) }
        #expect(try servedFirst(slot).identifier == before.identifier)
    }

    @Test func aFolderThatWasMadeAnewIsAnotherOneAlsoWithTheSameInode() throws {
        let place = try TestFolder()
        let own = try TestFolder()
        try place.folder("served")
        let catalogue = try SharedCatalogue(of: place.path + "/served", store: own.path + "/catalogue.db")
        _ = try catalogue.perform { try $0.lookAt(CatalogueItem.root) }
        for _ in 0..<5 {
            try retrying { unlinkat(place.descriptor.rawValue, "served", CInt(AT_REMOVEDIR)) }
            try place.folder("served")
            #expect(throws: FolderError.self) { try catalogue.perform { try $0.lookAt(CatalogueItem.root) } }
        }
    }
}

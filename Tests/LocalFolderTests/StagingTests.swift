import FileTesting
import Glibc
import LinuxSystem
import LocalFolder
import TestThreads
import Testing

/// Leftovers of killed processes in the served directory, and users' files of the same names.
@Suite(.ownThreads) struct StagingTests {
    private let folder: TestFolder
    private let own: TestFolder

    init() throws { (folder, own) = (try TestFolder(), try TestFolder()) }

    private func identifier(of name: String, _ catalogue: SharedCatalogue) throws -> String {
        try catalogue.perform { catalogue in
            try catalogue.lookAt(CatalogueItem.root)
            let item = try #require(
                try catalogue.children(of: CatalogueItem.root).first { $0.filename == name })
            return catalogue.identifier(of: item.number)
        }
    }

    @Test(arguments: ["folder.staged", "folder.addition.staged"])
    func onlyTheRemainsOfAKilledProcessAreSweptByTheNext(_ step: String) async throws {
        try folder.file("a", [1])
        // A user's file with the name of a leftover.
        try folder.file(".purvey-partial-0123456789abcdef", [2])
        try own.file("edit", [3, 3])
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = folder.path as String, own = own.path as String, step] in
            setenv("PURVEY_FAULT_POINT", step, 1)
            let catalogue = try SharedCatalogue(of: path, store: own + "/catalogue.db")
            let (root, a) = try catalogue.perform { catalogue in
                try catalogue.lookAt(CatalogueItem.root)
                let items = try catalogue.children(of: CatalogueItem.root)
                let a = items.first { $0.filename == "a" }?.number ?? 0
                return (catalogue.identifier(of: CatalogueItem.root), catalogue.identifier(of: a))
            }
            if step == "folder.staged" {
                _ = try catalogue.replace(a, withContentsOf: own + "/edit")
            } else {
                _ = try catalogue.copyIn(own + "/edit", named: "b", into: root)
            }
        }
        #expect(try folder.names().count == 3)
        let catalogue = try SharedCatalogue(of: folder.path, store: own.path + "/catalogue.db")
        #expect(try folder.names() == [".purvey-partial-0123456789abcdef", "a"])
        #expect(try folder.content("a") == [1])
        let user = try identifier(of: ".purvey-partial-0123456789abcdef", catalogue)
        #expect(try catalogue.perform { try $0.item(user).facts.size } == 1)
    }

    @Test func theNextProcessRemovesATrashFolderThatHasNoNameYet() async throws {
        try folder.file("a", [1])
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = folder.path as String, own = own.path as String] in
            setenv("PURVEY_FAULT_POINT", "folder.trash.made", 1)
            let catalogue = try SharedCatalogue(of: path, store: own + "/catalogue.db")
            try catalogue.perform { catalogue in
                try catalogue.lookAt(CatalogueItem.root)
                let items = try catalogue.children(of: CatalogueItem.root)
                for item in items { _ = try catalogue.trash(item) }
            }
        }
        #expect(try folder.names().count == 2)
        let catalogue = try SharedCatalogue(of: folder.path, store: own.path + "/catalogue.db")
        #expect(try folder.names() == ["a"])
        let file = try identifier(of: "a", catalogue)
        _ = try catalogue.perform { try $0.trash(try $0.item(file)) }
        #expect(try folder.names() == [".purvey-trash"])
    }
}

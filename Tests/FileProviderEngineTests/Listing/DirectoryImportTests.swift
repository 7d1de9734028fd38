import FileProvider
import FileProviderEngine
import FileProviderWire
import FileTesting
import Foundation
import Glibc
import ItemStore
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of imports of directories into new domains.
@Suite(.ownThreads)
struct DirectoryImportTests {
    /// A directory of the user with a small tree.
    private let folder: TestFolder
    private var path: String { folder.path + "/imported" }

    init() throws {
        folder = try TestFolder()
        try FileManager.default.createDirectory(atPath: path + "/Sub/Empty", withIntermediateDirectories: true)
        try "one".write(toFile: path + "/a.txt", atomically: false, encoding: .utf8)
        try "two".write(toFile: path + "/Sub/b.txt", atomically: false, encoding: .utf8)
        let date = Date(timeIntervalSince1970: 1_234_567_890)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path + "/a.txt")
    }

    private var isGone: Bool { !FileManager.default.fileExists(atPath: path) }

    @Test func everythingBecomesItemsAndLeavesTheDirectory() async throws {
        let domain = try TestDomain()
        try await domain.engine.doing { try $0.importDirectory(at: path) }
        try await eventually { isGone }
        try await domain.settle()
        #expect(domain.provider.tree == ["a.txt": "one", "Sub": "/", "Sub/b.txt": "two", "Sub/Empty": "/"])
        #expect(try domain.row(try domain.number("a.txt")).localModified == 1_234_567_890)
        try await eventually {
            domain.clock.advance(by: 1)
            return domain.provider.count(MemoryProvider.Kind.importFinished) == 1
        }
    }

    @Test func aFileThatIsThereAlreadyIsNoConflict() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("a.txt", "one")
        try await domain.list()
        try await domain.engine.doing { try $0.importDirectory(at: path) }
        try await eventually { isGone }
        try await domain.settle()
        #expect(domain.provider.tree == ["a.txt": "one", "Sub": "/", "Sub/b.txt": "two", "Sub/Empty": "/"])
    }

    @Test func aFileOfAnotherNameStaysBesideTheOneThatIsThere() async throws {
        let domain = try TestDomain()
        domain.provider.addFile("a.txt", "theirs, longer")
        try await domain.list()
        try await domain.engine.doing { try $0.importDirectory(at: path) }
        try await eventually { isGone }
        try await domain.settle()
        let tree = domain.provider.tree
        #expect(tree["a.txt"] == "theirs, longer")
        #expect(tree.values.filter { $0 == "one" }.count == 1)
    }

    @Test func anImportGoesOnAfterAKill() async throws {
        let domain = try TestDomain()
        for number in 0..<200 {
            try "\(number)".write(toFile: path + "/file \(number)", atomically: false, encoding: .utf8)
        }
        try await domain.engine.doing { try $0.importDirectory(at: path) }
        try await eventually { try domain.names().count > 20 }
        try domain.restart()
        try await eventually { isGone }
        try await domain.settle()
        let tree = domain.provider.tree
        for number in 0..<200 { #expect(tree["file \(number)"] == "\(number)") }
        #expect(tree["a.txt"] == "one" && tree["Sub/b.txt"] == "two")
        // The file whose import was interrupted exists once, and completely.
        #expect(tree.count == 204, "\(tree.keys.filter { $0.contains(" 2") && !$0.hasPrefix("file 2") })")
    }

    @Test func itemsThatCannotBeImportedStay() async throws {
        mkfifo(path + "/pipe", 0o600)
        let domain = try TestDomain()
        try await domain.engine.doing { try $0.importDirectory(at: path) }
        try await eventually {
            (try? FileManager.default.contentsOfDirectory(atPath: path)) == ["pipe"]
        }
        try await domain.settle()
        #expect(domain.provider.tree.count == 4)
    }
}

import ExtensionHost
import FileProvider
import FileProviderEngine
import FileProviderWire
import Foundation
import Glibc
import ItemValues
import LinuxSystem
import ProgramTesting
import ScriptableService
import Testing

/// A service and its provider in processes of their own, installed in a data directory of its own. Everything is
/// removed afterwards.
struct ScriptedCloudFixture {
    let root: String
    let cloud: StartedCloud
    let provider: ExtensionProvider
    private let told: Told

    /// The notices that the extension has sent.
    private final class Told: Sendable {
        // Leaf lock.
        let notices = Lock<[ExtensionProvider.Notice]>([])
    }

    var control: CloudControl { cloud.control }
    var notices: [ExtensionProvider.Notice] { told.notices.withLock { $0 } }

    /// Runs a test with a stage.
    ///
    /// - Parameter memory: The extension's memory limit in mebibytes.
    static func with(memory: Int = 256, _ body: @Sendable (ScriptedCloudFixture) async throws -> Void) async throws {
        let stage = try ScriptedCloudFixture(memory: memory)
        do {
            try await body(stage)
        } catch {
            await stage.end()
            throw error
        }
        await stage.end()
    }

    private init(memory: Int) throws {
        let temporary = (NSTemporaryDirectory() as NSString).standardizingPath
        root = temporary + "/pvs-" + UUID().uuidString.prefix(8)
        let program = try BuiltProgram.path("ScriptableProvider")
        cloud = try StartedCloud(program: program, folder: root + "/cloud")
        let bundle = root + "/Scriptable.appex"
        try StartedCloud.makeBundle(at: bundle, program: program, memory: memory)
        try ExtensionLibrary(data: root + "/data").install(path: bundle, link: true)
        let told = Told()
        self.told = told
        provider = ExtensionProvider(
            domain: ProviderDomain(identifier: "test", displayName: "Test", path: cloud.folder),
            extensionIdentifier: StartedCloud.providerIdentifier, data: root + "/data",
            options: .init(idleTime: .seconds(600), answerTime: .seconds(300), transferTime: .seconds(600))
        ) { notice in
            told.notices.withLock { $0.append(notice) }
        }
    }

    private func end() async {
        await provider.close()
        cloud.end()
        // A removal that races with a process that is still writing leaves the rest, so it is repeated.
        for _ in 0..<1_000 where FileManager.default.fileExists(atPath: root) {
            try? FileManager.default.removeItem(atPath: root)
        }
    }

    /// Makes the extension send contents after it took them, not before.
    func sendBehind() throws {
        try Data().write(to: URL(fileURLWithPath: cloud.folder + "/sends-behind"))
    }

    /// Makes the extension leak memory with each page that it returns.
    func hoard(mebibytes: Int) throws {
        try Data("\(mebibytes)".utf8).write(to: URL(fileURLWithPath: cloud.folder + "/hoards"))
    }

    /// Returns the identifier of the item at a path.
    func identifier(_ path: String) throws -> String { try #require(try control.snapshot()[path]).identifier }

    /// Returns all items of a container, page by page.
    func list(_ container: String = ProviderItem.rootIdentifier) async throws -> [ProviderItem] {
        var items: [ProviderItem] = []
        var page: [UInt8]?
        repeat {
            let answer = try await provider.page(of: container, after: page, suggestedSize: 500)
            items += answer.items
            page = answer.next
        } while page != nil
        return items
    }

    /// Returns the failure of a request.
    func failure(_ question: () async throws -> Void) async -> ProviderError? {
        do {
            try await question()
            return nil
        } catch {
            return error as? ProviderError
        }
    }

    /// Whether a condition comes to hold within a generous time; polls until then.
    func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
        for _ in 0..<30_000 {
            if try await condition() { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    func file(_ text: String) throws -> FileDescriptor {
        let file = try MemoryFile.create(name: "test")
        try Array(text.utf8).withUnsafeBytes { try file.writeAll($0) }
        return file
    }
}

import ExtensionHost
import FileProvider
import FileProviderEngine
import Foundation
import Glibc
import LinuxSystem
import ScriptableService
import Testing

/// A service in a process of its own and its provider in another one, installed in a data folder of its own. All of it is gone
/// afterwards.
struct CloudStage {
    let root: String
    let cloud: StartedCloud
    let provider: ExtensionProvider
    private let told: Told

    /// What the extension told by itself.
    private final class Told: Sendable {
        // Innermost.
        let notices = Lock<[ExtensionProvider.Notice]>([])
    }

    var control: CloudControl { cloud.control }
    var notices: [ExtensionProvider.Notice] { told.notices.withLock { $0 } }

    /// Runs a test on a stage.
    ///
    /// - Parameter memory: the mebibytes that the extension may take.
    static func with(memory: Int = 256, _ body: @Sendable (CloudStage) async throws -> Void) async throws {
        let stage = try CloudStage(memory: memory)
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
        let program = try #require(Self.program("ScriptableProvider"))
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
        // What goes at the same time keeps a removal from removing the rest.
        for _ in 0..<1_000 where FileManager.default.fileExists(atPath: root) {
            try? FileManager.default.removeItem(atPath: root)
        }
    }

    private final class Marker {}

    /// The test program lies beside the test bundle, wherever the build put that.
    private static func program(_ product: String) -> String? {
        let built = Bundle(for: Marker.self).bundleURL.deletingLastPathComponent()
        let candidates = [built, URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()]
        return candidates.map { $0.appendingPathComponent(product).path }.first { access($0, X_OK) == 0 }
    }

    /// Has the extension send contents after it took them, not before.
    func sendBehind() throws {
        try Data().write(to: URL(fileURLWithPath: cloud.folder + "/sends-behind"))
    }

    /// Has the extension take memory with each page that it gives, and never give it back.
    func hoard(mebibytes: Int) throws {
        try Data("\(mebibytes)".utf8).write(to: URL(fileURLWithPath: cloud.folder + "/hoards"))
    }

    /// The identifier of what is at a path.
    func identifier(_ path: String) throws -> String { try #require(try control.snapshot()[path]).identifier }

    /// All items of a container, page by page.
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

    /// What a question fails with.
    func failure(_ question: () async throws -> Void) async -> ProviderFailure? {
        do {
            try await question()
            return nil
        } catch {
            return error as? ProviderFailure
        }
    }

    /// Looks again until something is so, for a generous time.
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

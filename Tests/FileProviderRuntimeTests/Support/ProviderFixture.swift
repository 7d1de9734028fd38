import AppExtension
import Conduit
import ExtensionHost
import FileProvider
import FileProviderEngine
import FileProviderWire
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import Testing

/// The provider peer, installed in a data directory of its own, with a domain over a directory. Everything is removed
/// afterwards.
struct ProviderFixture {
    let root: String
    var data: String { root + "/data" }
    /// The directory that the domain's provider serves.
    var folder: String { root + "/folder" }
    let provider: ExtensionProvider
    private let told: Told

    /// The notices that the extension has sent.
    private final class Told: Sendable {
        let notices = Lock<[ExtensionProvider.Notice]>([])
        let handed = Lock<[HandedFolder]>([])
    }

    static let identifier = "org.example.provider-peer"

    /// Runs a test with a fixture.
    ///
    /// - Parameter isHanded: Whether the domain has a directory that the user handed over. Otherwise the provider uses
    ///   its container.
    static func with(
        options: ProviderProcessOptions = .init(
            idleTime: .seconds(600), answerTime: .seconds(300), transferTime: .seconds(600)), memory: Int = 256,
        network: Bool = false, watches: Bool = false, point: String = "com.apple.fileprovider-nonui",
        principal: String = "Peer", isHanded: Bool = true, addCalls: (inout Service) -> Void = { _ in },
        body: (ProviderFixture) async throws -> Void
    ) async throws {
        let stage = try ProviderFixture(
            options, memory: memory, network: network, watches: watches, point: point, principal: principal,
            isHanded: isHanded, addCalls: addCalls)
        do {
            try await body(stage)
        } catch {
            await stage.end()
            throw error
        }
        await stage.end()
    }

    private init(
        _ options: ProviderProcessOptions, memory: Int, network: Bool, watches: Bool, point: String, principal: String,
        isHanded: Bool, addCalls: (inout Service) -> Void
    ) throws {
        let temporary = (NSTemporaryDirectory() as NSString).standardizingPath
        root = temporary + "/pvp-" + UUID().uuidString.prefix(8)
        let bundle = root + "/Peer.appex"
        let files = FileManager.default
        try files.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        try files.createDirectory(atPath: root + "/folder", withIntermediateDirectories: true)
        let list: [String: Any] = [
            "CFBundleIdentifier": Self.identifier, "CFBundleName": "Peer", "CFBundleExecutable": "ProviderPeer",
            "NSExtension": [
                "NSExtensionPointIdentifier": point,
                "NSExtensionPrincipalClass": "$(PRODUCT_MODULE_NAME)." + principal,
                ExtensionBundle.memoryKey: memory, ExtensionBundle.networkKey: network,
                ExtensionBundle.watchesKey: watches,
            ] as [String: Any],
        ]
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: bundle + "/Info.plist"))
        // Another process copies the program, and a link is installed. If this process copied it, a fork might
        // inherit the copy's descriptor open for writing, and executing the copy would fail.
        let program = try BuiltProgram.path("ProviderPeer")
        let copy = try ChildProgram.start("/bin/cp", arguments: [program, bundle + "/ProviderPeer"], descriptors: [])
            .wait()
        try #require(copy == .exited(0))
        try ExtensionLibrary(data: root + "/data").install(path: bundle, link: true)
        let told = Told()
        self.told = told
        provider = ExtensionProvider(
            domain: ProviderDomain(
                identifier: "test", displayName: "Test", path: isHanded ? root + "/folder" : nil),
            extensionIdentifier: Self.identifier, data: root + "/data", options: options, addCalls: addCalls
        ) { notice in
            if case .handed(let folder) = notice { return told.handed.withLock { $0.append(folder) } }
            told.notices.withLock { $0.append(notice) }
        }
    }

    private func end() async {
        await provider.close()
        // A removal that races with a process that is still writing leaves the rest, so it is repeated.
        for _ in 0..<1_000 where FileManager.default.fileExists(atPath: root) {
            try? FileManager.default.removeItem(atPath: root)
        }
    }

    // MARK: State of the peer

    /// Adds a file to the peer's catalogue.
    func put(_ identifier: String, _ contents: String = "", in parent: String = "root", version: Int = 1) throws {
        let file = URL(fileURLWithPath: folder + "/catalogue.json")
        var entries: [String: [String: Any]] = [:]
        if let data = try? Data(contentsOf: file) {
            entries = try JSONSerialization.jsonObject(with: data) as? [String: [String: Any]] ?? [:]
        }
        entries[identifier] = [
            "identifier": identifier, "parent": parent, "name": identifier + ".txt", "isFolder": false,
            "contents": Data(contents.utf8).base64EncodedString(), "version": version, "isUploaded": true,
        ]
        try JSONSerialization.data(withJSONObject: entries).write(to: file)
    }

    /// The lines that the peer has noted.
    var notes: [String] {
        let text = (try? String(contentsOfFile: folder + "/notes", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// The number of times that the process was started.
    var starts: Int { notes.filter { $0.hasPrefix("begin ") }.count }

    /// The folders that the host recorded.
    var handed: [HandedFolder] { told.handed.withLock { $0 } }

    var notices: [ExtensionProvider.Notice] { told.notices.withLock { $0 } }

    /// Whether a condition comes to hold within a generous time; polls until then.
    func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
        for _ in 0..<30_000 {
            if try await condition() { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    /// Returns the failure of a request.
    func failure(_ engineRequest: () async throws -> Void) async -> ProviderError? {
        do {
            try await engineRequest()
            return nil
        } catch {
            return error as? ProviderError
        }
    }
}

extension FileDescriptor {
    /// Returns the file's text, from its beginning and up to 64 KiB.
    func text() throws -> String {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = try buffer.withUnsafeMutableBytes { try read(into: $0, at: 0) }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }

    /// Creates a memory file with a text.
    static func memory(_ text: String) throws -> FileDescriptor {
        let file = try MemoryFile.create(name: "test")
        try Array(text.utf8).withUnsafeBytes { try file.writeAll($0) }
        return file
    }
}

import AppExtension
import CoordinationService
import Exchange
import ExtensionHost
import Foundation
import LinuxSystem
import Testing

/// A daemon with the vault's provider installed and its program registered, and directories to serve.
struct VaultFixture {
    let daemon: PrivateDaemon
    /// The path of the vault's registered program.
    let program: String

    static let program = "org.example.vault"
    static let provider = "org.example.vault.provider"

    /// Runs a test with the provider installed and not started yet.
    ///
    /// - Parameter provider: The names of the provider's program and of its principal class.
    static func run(
        by provider: (program: String, principal: String) = ("VaultProvider", "Vault"), variables: [String] = [],
        _ body: (VaultFixture) async throws -> Void
    ) async throws {
        try await PrivateDaemon.run(variables: variables) { daemon in
            let place = try await VaultFixture(daemon, provider)
            try await body(place)
        }
    }

    private init(_ daemon: PrivateDaemon, _ provider: (program: String, principal: String)) async throws {
        self.daemon = daemon
        program = daemon.home + "/Vault/VaultApp"
        let appex = daemon.home + "/Vault.appex"
        try await Self.makeBundle(
            appex, provider.program,
            [
                "CFBundleIdentifier": Self.provider, "CFBundleName": "Vault",
                "NSExtension": [
                    "NSExtensionPointIdentifier": "com.apple.fileprovider-nonui",
                    "NSExtensionPrincipalClass": "$(PRODUCT_MODULE_NAME)." + provider.principal,
                    ExtensionBundle.timeKey: 300,
                ] as [String: Any],
            ])
        let data = daemon.locations.data
        _ = try await offPool { try ExtensionLibrary(data: data).install(path: appex, link: true) }
        try await Self.makeBundle(daemon.home + "/Vault", "VaultApp", ["CFBundleIdentifier": Self.program])
        _ = try await daemon.client.call(RegisterBundleCall(path: daemon.home + "/Vault"))
    }

    private static func makeBundle(_ folder: String, _ program: String, _ list: [String: Any]) async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let list = list.merging(["CFBundleExecutable": program]) { first, _ in first }
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: folder + "/Info.plist"))
        // Another process copies the program, so that no fork of this one has the copy open for writing.
        let source = TestProcess.program(program)
        let copy = try await offPool {
            try ChildProgram.start("/bin/cp", arguments: [source, folder + "/" + program], descriptors: []).wait()
        }
        try #require(copy == .exited(0))
    }

    /// Starts a process of the vault's program.
    func app() throws -> PeerProcess { try daemon.peer(program: program) }

    /// Starts a process of the vault's program, which adds the domain `main` with the name Papers.
    ///
    /// - Returns: the domain's folder at the service, and the process.
    func appWithDomain(_ folder: String) async throws -> (folder: String, app: PeerProcess) {
        let app = try app()
        try await app.ask("add main Papers \(folder)", "add done")
        return (folder, app)
    }

    /// Starts a process of the same program from a path that is not registered.
    func stranger() throws -> PeerProcess { try daemon.peer(program: TestProcess.program("VaultApp")) }

    /// Returns the path at which the provider stores a file of a domain.
    func stored(_ name: String, of domain: String = "main") -> String {
        "\(daemon.locations.data)/containers/\(Self.provider)/File Provider Storage/\(domain)/\(name)"
    }

    /// Returns the stored path as one word of a command.
    func word(_ name: String, of domain: String = "main") -> String {
        stored(name, of: domain).replacingOccurrences(of: " ", with: "%20")
    }

    /// Waits until the daemon has a number of claims, granted and waiting.
    ///
    /// - Parameter processes: The processes that claim. If the number is not reached, their replies are printed,
    ///   because a command that failed makes no claim.
    func hasClaims(
        _ count: Int, of processes: PeerProcess..., sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        var last = 0
        // Counts attempts rather than time, because a busy machine may run no task for long.
        for _ in 0..<60_000 {
            last = try await daemon.client.call(CountClaimsCall(), attempts: 3).count
            if last == count { return }
            if processes.contains(where: \.hasEnded) { break }
            try? await Task.sleep(for: .milliseconds(5))
        }
        Issue.record(
            "\(last) claims instead of \(count); the processes replied \(processes.map(\.history))",
            sourceLocation: sourceLocation)
    }

    /// Makes a directory to be served.
    func makeService(_ files: [String: String] = [:], named name: String = "service") throws -> String {
        let folder = daemon.work + "/" + name
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (name, text) in files { try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name)) }
        return folder
    }

    /// Returns the notes that the provider has written in a served directory.
    func notes(_ folder: String) -> [String] {
        let text = (try? String(contentsOfFile: folder + "/.notes", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    func contents(_ path: String) async -> String? {
        await offPool { try? String(contentsOfFile: path, encoding: .utf8) }
    }
}

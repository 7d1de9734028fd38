import CloudTesting
import Conduit
import DaemonTesting
import DomainMessages
import Exchange
import ExtensionHost
import FileProviderWire
import FileTesting
import Foundation
import Glibc
import LinuxSystem
import Testing

/// A server of `Tests/CloudServers`, a daemon, and mounted domains of the server. All calls block. All files and
/// processes are removed afterwards.
final class MountedServer: Sendable {
    let stage: CloudStage
    let daemon: StartedDaemon
    private let domains: [String]

    /// The semaphore that limits the number of servers. They start slowly as root or on a busy machine, and more of
    /// them at a time make each one slower.
    private static let running = AsyncSemaphore(permits: 2)

    /// Whether tests that mount must run: if this machine permits mounting, and always under CI.
    static let isWanted = Requirement.isEnforced || access("/dev/fuse", R_OK | W_OK) == 0

    struct NotSettled: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs a test with a server. Skips the test if the server's package is missing and not required.
    static func run(
        _ server: String, domains: [String] = ["Cloud"], _ body: @Sendable (MountedServer) throws -> Void
    ) async throws {
        let result: Void? = try await running.withPermit {
            let stage = try CloudServer.required { try CloudStage(server) }
            let place: MountedServer
            do {
                place = try MountedServer(stage, domains)
            } catch {
                stage.end()
                throw error
            }
            let leftover = ExitCleanup { place.end() }
            defer { leftover.remove() }
            for domain in domains { try place.add(domain, server) }
            try body(place)
            let ending = place.daemon.end()
            #expect(ending == .exited(0))
        }
        if result == nil { throw CancellationError() }
    }

    private init(_ stage: CloudStage, _ domains: [String]) throws {
        self.stage = stage
        self.domains = domains
        // The path is short, as that of a socket has to be.
        let home = (NSTemporaryDirectory() as NSString).standardizingPath + "/pca-" + UUID().uuidString.prefix(8)
        daemon = try StartedDaemon(home: home)
        try FileManager.default.createDirectory(atPath: daemon.locations.data, withIntermediateDirectories: true)
        for provider in ["WebDAV", "Nextcloud"] {
            let bundle = try ProviderBundle.make(provider, in: home)
            try ExtensionLibrary(data: daemon.locations.data).install(path: bundle, link: true)
        }
        try daemon.start()
    }

    private func end() {
        _ = daemon.end()
        stage.end()
        for domain in domains {
            _ = try? ChildProgram.start("/bin/umount", arguments: ["-l", "-q", mount(domain)], descriptors: []).wait()
        }
        #expect(daemon.removeHome(mount: mount(domains[0])))
    }

    /// Adds a domain with the command, as a user does.
    private func add(_ domain: String, _ server: String) throws {
        let password = daemon.home + "/password"
        try Data("secret\n".utf8).write(to: URL(filePath: password))
        let isNextcloud = server == "nextcloud"
        let url = isNextcloud ? stage.url.replacing("remote.php/dav/files/alice/", with: "") : stage.url
        let (ending, text) = try daemon.purvey([
            "domains", "add", isNextcloud ? "nextcloud" : "webdav", domain, "url=\(url)", "user=alice",
            "--password-file", password,
        ])
        guard ending == .exited(0) else { throw NotSettled(description: "the domain is not added: \(text)") }
    }

    func mount(_ domain: String = "Cloud") -> String { daemon.locations.mounts + "/" + domain }

    /// The findings and the state of the first domain, as a user sees them.
    func status() throws -> String { try daemon.purvey(["status", domains[0]]).text }

    @discardableResult
    private func call<C: Call>(_ request: C) throws -> C.Reply {
        guard let connection = daemon.connection else { throw NotSettled(description: "there is no daemon") }
        return try connection.callAndWait(request)
    }

    func evict(_ path: String) throws {
        _ = try call(EvictItemCall(place: ItemPlace(text: "Cloud:" + path, path: mount() + "/" + path)))
    }

    /// Makes the daemon check the server for changes.
    func signal() throws {
        for domain in domains { try call(SignalDomainCall(name: domain, container: nil)) }
    }

    /// Returns the number of edits that wait in all domains, and the messages about them.
    func waiting() throws -> (count: Int, words: [String]) {
        let all = try call(DomainsStatusCall()).domains
        let count = all.map { $0.uploadsWaiting + $0.uploadsInFlight + $0.marksWaiting + $0.marksInFlight }
        return (count.reduce(0, +), all.flatMap { $0.faults + $0.notes + [$0.disconnection].compactMap(\.self) })
    }

    /// Waits until no edit waits and a check finds no difference.
    ///
    /// - Parameter difference: a check, which returns a description of a difference from the expected state; `nil` if
    ///   there is none.
    func settle(_ difference: () throws -> String?) throws {
        let deadline = ContinuousClock.now + .seconds(300)
        var (last, next, hasBeenQuiet) = ("", ContinuousClock.now, false)
        while ContinuousClock.now < deadline {
            if ContinuousClock.now >= next {
                try signal()
                for domain in domains { try call(RetryDomainCall(name: domain)) }
                next = .now + .seconds(3)
            }
            let (count, words) = try waiting()
            if count > 0 {
                (last, hasBeenQuiet) = ("\(count) edits wait: \(words.joined(separator: "; "))", false)
            } else if let found = try self.difference(difference) {
                last = found
            } else if hasBeenQuiet {
                // A change of the other side may have become an edit since the first look.
                return
            } else {
                hasBeenQuiet = true
                continue
            }
            usleep(50_000)
        }
        throw NotSettled(description: last)
    }

    /// Waits until a check succeeds, or until the state has not changed for a while.
    func settleOrStay(_ isDone: () throws -> Bool) throws {
        var quiet = 0
        while quiet < 40 {
            if try waiting().count == 0, try isDone() { return }
            let before = try stage.requests().count { $0.method == "PUT" && $0.status / 100 == 2 }
            usleep(250_000)
            let after = try stage.requests().count { $0.method == "PUT" && $0.status / 100 == 2 }
            quiet = before == after ? quiet + 1 : 0
        }
    }

    /// Returns the difference that a check finds. A refused request counts as a difference, because a server may refuse
    /// requests while its files change.
    private func difference(_ check: () throws -> String?) throws -> String? {
        do {
            return try check()
        } catch let error as CloudStage.Failed {
            return error.description
        }
    }

    /// Waits until the server and all mounts have these items.
    func settle(on expected: [String: String]) throws {
        try settle {
            let found = try stage.tree()
            if found != expected { return "the server has \(Self.words(found)) instead of \(Self.words(expected))" }
            for domain in domains {
                let found = try Tree.read(mount(domain))
                if found != expected { return "\(domain) has \(Self.words(found)) instead of \(Self.words(expected))" }
            }
            return nil
        }
    }

    /// Waits until the server and all mounts have the same items, with all of these contents.
    func settle(with contents: Set<String>) throws {
        try settle {
            let found = try stage.tree()
            let lost = contents.subtracting(found.values)
            if !lost.isEmpty { return "lost: \(lost.sorted()); the server has \(Self.words(found))" }
            for domain in domains {
                let mounted = try Tree.read(mount(domain))
                if mounted != found { return "\(domain) has \(Self.words(mounted)), the server \(Self.words(found))" }
            }
            return nil
        }
    }

    private static func words(_ tree: [String: String]) -> String {
        tree.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.prefix(30)) (\($0.value.utf8.count))" }
            .joined(separator: ", ")
    }
}

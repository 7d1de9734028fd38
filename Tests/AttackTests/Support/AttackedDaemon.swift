import AttackTesting
import Conduit
import CoordinationService
import DaemonTesting
import DomainMessages
import Exchange
import FileCoordination
import FileProvider
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import Testing

/// A daemon for one test, which is attacked. All of its files and processes are removed afterwards.
final class AttackedDaemon: Sendable {
    private let daemon: StartedDaemon

    var home: String { daemon.home }
    var locations: Locations { daemon.locations }
    var processID: pid_t { daemon.processID }
    /// The living processes that the daemon has started.
    var children: [pid_t] { daemon.children }

    /// Runs a test. Blocks, so the test needs threads of its own.
    static func run(_ body: (AttackedDaemon) async throws -> Void) async throws {
        let daemon = try AttackedDaemon()
        do {
            try daemon.daemon.start()
            try await body(daemon)
        } catch {
            daemon.end()
            throw error
        }
        daemon.end()
    }

    private init() throws {
        // Short, because the path of a socket is.
        let home = (NSTemporaryDirectory() as NSString).standardizingPath + "/pva-" + UUID().uuidString.prefix(8)
        daemon = try StartedDaemon(home: home)
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: locations.data, withIntermediateDirectories: true)
    }

    private func end() {
        #expect(daemon.end() == .exited(0))
        if !daemon.removeHome(mount: locations.mounts) { Issue.record("\(home) cannot be removed") }
    }

    /// Runs `purvey` until it ends, and returns its output.
    func purvey(_ arguments: [String]) throws -> (ending: ChildProgram.Ending, text: String) {
        try daemon.purvey(arguments)
    }

    // MARK: Clients

    /// Returns a connection that any process of the user could make.
    func connect() throws -> SequencedPacketSocket {
        try .connect(to: LocalSocketAddress(path: locations.socket), timeoutMilliseconds: 300_000)
    }

    /// Returns a connection that uses the protocol correctly.
    func client(_ service: Service = Service()) throws -> Connection {
        try Connection.connect(to: locations.socket, service: service, timeoutMilliseconds: 300_000)
    }

    /// Expects that the daemon replies to a correct client during the attack.
    func expectAnswers(_ seed: UInt64, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let client = try client()
        defer { client.close() }
        let status = try await client.call(StatusCall())
        #expect(status.processID == processID, "seed \(seed)", sourceLocation: sourceLocation)
        _ = try await client.call(ListBundlesCall())
        _ = try await client.call(DomainsStatusCall())
    }

    /// Expects that the daemon retains no state of attackers that have disconnected, and that files can be claimed.
    func expectServes(_ seed: UInt64, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let (effects, continuation) = AsyncStream.makeStream(of: CoordinationEffect.self)
        var hearing = Service()
        hearing.on(EffectsNotice.self) { notice, _ in for effect in notice.effects { continuation.yield(effect) } }
        let client = try client(hearing)
        defer { client.close() }
        let path = ExactPath("/purvey-attack/\(seed)")
        let access = Access(path: path, key: path, traits: .writes)
        try client.notify(EventNotice(.claim(ClaimRequest(number: 1, accesses: [access], purpose: "p"))))
        var hears = effects.makeAsyncIterator()
        guard case .granted(claim: 1, _, _, _)? = await hears.next() else {
            Issue.record("seed \(seed): the claim was not granted", sourceLocation: sourceLocation)
            return
        }
        try await eventually("seed \(seed): the claims of clients that have gone are over") {
            try await client.call(CountClaimsCall()).count == 1
        }
        try await eventually("seed \(seed): the offers of clients that have gone are over") {
            try await client.call(StatusCall()).offers == 0
        }
    }

    // MARK: Attacks

    /// Attacks the daemon with one seed after the other. After each attack, expects that the daemon is the same
    /// process, serves other clients, and retains no state of its attackers.
    ///
    /// The first attack is a rehearsal, because the daemon retains threads, descriptors and directories that it needed
    /// for the first time.
    ///
    /// - Parameter mayStay: whether an attack may leave a file with this path in the daemon's home.
    func withstands(
        _ count: Int, leaving mayStay: (String) -> Bool = { _ in false },
        _ attack: (_ seed: UInt64) async throws -> Void
    ) async throws {
        var rehearsed: (footprint: ProcessFootprint, paths: Set<String>)?
        for seed in 0...UInt64(count) {
            try await withSeed(seed) {
                try await attack(seed)
                try await expectAnswers(seed)
                try await expectServes(seed)
                guard let rehearsed else { return }
                try await expectRestored(processID, from: rehearsed.footprint, seed)
                try await eventually("seed \(seed): no files are left behind") {
                    try paths().subtracting(rehearsed.paths).allSatisfy { Self.isMadeOnce($0) || mayStay($0) }
                }
            }
            if rehearsed == nil { rehearsed = (try await settledFootprint(of: processID), try paths()) }
        }
    }

    /// Whether the daemon makes the file at a path once, for its first bookmark or domain. In the rehearsal, the
    /// extension may end before that.
    private static func isMadeOnce(_ path: String) -> Bool {
        ["data/bookmark.key", "cache/domains"].contains { path.hasSuffix($0) }
    }

    /// Returns the paths of all files in the daemon's home.
    private func paths() throws -> Set<String> { try Set(Tree.read(home).keys) }
}

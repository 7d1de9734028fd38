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

/// A daemon of a test's own, to be attacked. All of it is gone afterwards.
final class AttackedDaemon: Sendable {
    private let daemon: StartedDaemon

    var home: String { daemon.home }
    var locations: Locations { daemon.locations }
    var processID: pid_t { daemon.processID }
    /// The processes that it has started and that live.
    var children: [pid_t] { daemon.children }

    /// Runs a test. It blocks, so it needs threads of its own.
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

    /// Runs `purvey` to its end, and gives what it says.
    func purvey(_ arguments: [String]) throws -> (ending: ChildProgram.Ending, text: String) {
        try daemon.purvey(arguments)
    }

    // MARK: Clients

    /// A connection as any process of the user can make it.
    func connect() throws -> SequencedPacketSocket {
        try .connect(to: LocalSocketAddress(path: locations.socket), timeoutMilliseconds: 300_000)
    }

    /// A connection that speaks the protocol.
    func client(_ service: Service = Service()) throws -> Connection {
        try Connection.connect(to: locations.socket, service: service, timeoutMilliseconds: 300_000)
    }

    /// Expects that a client of good will is answered, while the attackers are there.
    func expectAnswers(_ seed: UInt64, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let client = try client()
        defer { client.close() }
        let status = try await client.call(StatusCall())
        #expect(status.processID == processID, "seed \(seed)", sourceLocation: sourceLocation)
        _ = try await client.call(ListBundlesCall())
        _ = try await client.call(DomainsStatusCall())
    }

    /// Expects that nothing of attackers that have gone is kept, and that files can be claimed.
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

    /// Attacks the daemon with one seed after the other. Expects after each that it is the same process, that it serves
    /// others, and that it keeps nothing of its attackers.
    ///
    /// The first attack is a rehearsal: the daemon keeps threads, descriptors and folders that it needed for the first
    /// time.
    ///
    /// - Parameter mayStay: whether an attack may leave what has this path in the daemon's home.
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
                    try paths().subtracting(rehearsed.paths).allSatisfy(mayStay)
                }
            }
            if rehearsed == nil { rehearsed = (try await settledFootprint(of: processID), try paths()) }
        }
    }

    /// The paths of everything in the daemon's home.
    private func paths() throws -> Set<String> { try Set(Tree.read(home).keys) }
}

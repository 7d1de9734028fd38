import AttackTesting
import FileTesting
import Foundation
import LinuxSystem
import TestThreads
import Testing

/// Extensions that send arbitrary data to the daemon that has started them, and to the program that requested them.
@Suite(.ownThreads, .timeLimit(.minutes(TestSample.minutes(20)))) struct ConfinedAttackTests {
    @Test(arguments: ["scopes", "coordination"])
    func anExtensionThatSendsAnythingOverItsLinkHarmsNoOther(_ link: String) async throws {
        try await AttackedDaemon.run { daemon in
            let identifier = try await daemon.install(HostileRole(.told))
            try await daemon.withstands(TestSample.count(2, of: 30)) { seed in
                try await daemon.run(identifier) { socket in
                    #expect(
                        try AttackedDaemon.tell("\(link) \(seed) 200 patiently", over: socket) == "done", "seed \(seed)"
                    )
                    try await daemon.expectAnswers(seed)
                    #expect(
                        try AttackedDaemon.tell("\(link) \(seed) 40 freely", over: socket) == "done", "seed \(seed)")
                    try await daemon.expectAnswers(seed)
                }
            }
        }
    }

    /// The other end of the extension call's socket is in the program that makes the call.
    @Test func aProgramOutlivesTheExtensionThatItCalls() async throws {
        try await AttackedDaemon.run { daemon in
            let file = daemon.home + "/note.txt"
            try Data("note".utf8).write(to: URL(fileURLWithPath: file))
            try await daemon.withstands(TestSample.count(1, of: 20), leaving: AttackedDaemon.isOfExtension) { seed in
                let identifier = try await daemon.install(HostileRole(.called, seed: seed, packets: 100))
                let run = try daemon.purvey(["share", file, "--with", identifier])
                // It says that the extension failed; it is not ended by a signal.
                guard case .exited(let status) = run.ending else {
                    Issue.record("seed \(seed): \(run)")
                    return
                }
                #expect((0...2).contains(status), "seed \(seed): \(run.text)")
            }
        }
    }
}

import DaemonTesting
import FileTesting
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import SecretStorage
import Secrets
import Testing

/// Processes that are killed while they change a store, and processes that change it at the same time.
struct CrashTests {
    private let folder: TestFolder

    init() throws { folder = try TestStore.makeFolder() }

    /// Runs a process with the store.
    private func run(_ arguments: String..., killedAt step: SecretStoreStep? = nil) async throws -> ProgramRun {
        try await RunningProgram(
            BuiltProgram.path("SecretsPeer"), [folder.path] + arguments,
            environment: step.map { ["PURVEY_FAULT_POINT": $0.rawValue] } ?? [:]
        ).end()
    }

    private static let replacing: [SecretStoreStep] = [.itemsStaged, .itemsWritten, .itemsReplaced]

    @Test(arguments: replacing) func aKilledChangeLeavesTheOldItemsOrTheNew(step: SecretStoreStep) async throws {
        #expect(try await run("add", "a", "1").status == 0)
        #expect(try await run("set", "a", "new", killedAt: step).ending == .signalled(SIGKILL))
        let test = try TestStore(in: folder)
        #expect(try test.values("a") == [step == .itemsReplaced ? "new" : "secret 0"])
        #expect(try folder.names("items") == [".lock", "passwords.sealed"])
        #expect(try folder.names("keys") == ["passwords.key"])
        #expect(try await run("set", "a", "newer").status == 0)
        #expect(try test.values("a") == ["newer"])
        #expect(test.reports.all.isEmpty)
    }

    @Test(arguments: [.keyWritten, .keyNamed] + replacing)
    func aKilledFirstAdditionLeavesAStoreThatWorks(step: SecretStoreStep) async throws {
        #expect(try await run("add", "a", "1", killedAt: step).ending == .signalled(SIGKILL))
        let test = try TestStore(in: folder)
        if step == .itemsReplaced {
            #expect(try test.values("a") == ["secret 0"])
        } else {
            #expect(throws: SecretError.notFound) { try test.values("a") }
        }
        try test.add("b")
        #expect(try test.values("b") == ["secret"])
        #expect(try folder.names("keys") == ["passwords.key"])
        #expect(try folder.names("items") == [".lock", "passwords.sealed"])
        #expect(test.reports.all.isEmpty)
    }

    @Test func aKillWhileADamagedFileIsSetAsideLosesNothing() async throws {
        #expect(try await run("add", "a", "1").status == 0)
        try folder.descriptor.open(TestStore.itemsName, [.writeOnly, .truncate]).overwrite([1, 2, 3], at: 0)
        #expect(try await run("find", "a", killedAt: .setAside).ending == .signalled(SIGKILL))
        let test = try TestStore(in: folder)
        #expect(throws: SecretError.notFound) { try test.values("a") }
        #expect(try folder.content(TestStore.itemsName + ".damaged-1") == [1, 2, 3])
        try test.add("a")
        #expect(try test.values("a") == ["secret"])
    }

    @Test func aKillAtAnyMomentLeavesAllConfirmedItems() async throws {
        for round in 0..<5 {
            let program = try RunningProgram(
                BuiltProgram.path("SecretsPeer"), [folder.path, "add", "round \(round)", "500"])
            let path = folder.path + "/" + TestStore.itemsName
            // The first round has no file at first; later ones have one that changes.
            let before = (try? FileStatus.of(path))?.identity
            while (try? FileStatus.of(path))?.identity == before, program.isRunning { usleep(1_000) }
            usleep(useconds_t(round * 7_000))
            program.send(SIGKILL)
            let confirmed = try await program.end().text.split(separator: "\n").count
            let test = try TestStore(in: folder)
            #expect(try [confirmed, confirmed + 1].contains(test.values("round \(round)").count))
            for earlier in 0...round {
                let values = try test.values("round \(earlier)")
                #expect(values == (0..<values.count).map { "secret \($0)" })
            }
            #expect(test.reports.all.isEmpty)
            #expect(try folder.names("items") == [".lock", "passwords.sealed"])
        }
    }

    @Test func processesThatAddAtOnceLoseNothing() async throws {
        async let one = run("add", "one", "60")
        async let two = run("add", "two", "60")
        async let three = run("add", "three", "60")
        for ended in try await [one, two, three] { #expect(ended.status == 0, "\(ended)") }
        let test = try TestStore(in: folder)
        for service in ["one", "two", "three"] {
            #expect(try test.values(service) == (0..<60).map { "secret \($0)" })
        }
        #expect(try folder.names("keys") == ["passwords.key"])
    }

    @Test func readersSeeOldItemsOrNewWhileAnotherProcessWrites() async throws {
        let test = try TestStore(in: folder)
        try test.add("a")
        let program = try RunningProgram(BuiltProgram.path("SecretsPeer"), [folder.path, "add", "b", "100"])
        while program.isRunning { #expect(try test.values("a") == ["secret"]) }
        #expect(try await program.end().status == 0)
        #expect(test.reports.all.isEmpty)
    }

    @Test func aStoppedProcessWithTheLockMakesOthersFailAndNotWaitForEver() async throws {
        let test = try TestStore(in: folder, lockWait: .milliseconds(50))
        try test.add("a")
        let program = try RunningProgram(
            BuiltProgram.path("SecretsPeer"), [folder.path, "set", "a", "new"],
            environment: ["PURVEY_FAULT_POINT": "secrets.items.written:1:stop"])
        // A stopped process that continues before it has stopped would stay stopped.
        while !ProcessState.isStopped(program.processID) { usleep(1_000) }
        #expect(try test.values("a") == ["secret"])
        #expect(throws: SecretError.unavailable) { try test.add("b") }
        program.send(SIGCONT)
        #expect(try await program.end().status == 0)
        #expect(try test.values("a") == ["new"])
        try test.add("b")
    }
}

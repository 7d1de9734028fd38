import FileTesting
import Foundation
import Glibc
import LinuxSystem
import ProgramTesting
import SecretStorage
import Secrets
import Testing

/// The key of a store in a keyring, its moves between keyring and file, and keyrings with faults.
struct KeyringTests {
    private let keyring = MemoryKeyring()
    private let folder: TestFolder

    init() throws { folder = try TestStore.makeFolder() }

    private func open(prefersKeyring: Bool = true) throws -> TestStore {
        try TestStore(in: folder, keyring: keyring, prefersKeyring: prefersKeyring)
    }

    private var keyFiles: [String] { get throws { try folder.names("keys") } }

    @Test func aNewKeyIsInTheKeyringOnly() throws {
        let test = try open()
        try test.add("a")
        #expect(try keyFiles.isEmpty)
        #expect(keyring.state.withLock { $0.keys.count } == 1)
        #expect(try open().values("a") == ["secret"])
        #expect(test.store.keyPlace == (true, true))
        #expect(test.reports.all.isEmpty)
    }

    @Test(arguments: [true, false]) func theKeyMovesIntoAKeyringThatAppears(byChange: Bool) throws {
        try TestStore(in: folder).add("a")
        let test = try open()
        if byChange { try test.add("b") } else { try test.store.settleKey() }
        #expect(try keyFiles.isEmpty)
        #expect(test.store.keyPlace == (true, true))
        #expect(try test.values("a") == ["secret"])
        // The file's earlier key opens nothing any more.
        #expect(throws: SecretError.keyringUnreachable) { try TestStore(in: folder).values("a") }
    }

    @Test func theKeyMovesBackIntoAFile() throws {
        try open().add("a")
        let test = try open(prefersKeyring: false)
        try test.store.settleKey()
        #expect(try keyFiles == ["passwords.key"])
        #expect(keyring.state.withLock { $0.keys.isEmpty })
        #expect(try TestStore(in: folder).values("a") == ["secret"])
    }

    @Test(arguments: [KeyringError.locked, .absent, .failed("it refuses")])
    func aKeyringThatCannotBeUsedLeavesTheKeyInItsFile(_ error: KeyringError) throws {
        keyring.state.withLock { $0.error = error }
        let test = try open()
        try test.add("a")
        try test.store.settleKey()
        #expect(try keyFiles == ["passwords.key"])
        #expect(try TestStore(in: folder).values("a") == ["secret"])
    }

    @Test(arguments: [
        (KeyringError.locked, SecretError.keyringLocked), (.absent, .keyringUnreachable),
        (.failed("it refuses"), .keyringUnreachable),
    ])
    func aKeyringThatIsLockedOrGoneKeepsTheItemsAsTheyAre(_ error: KeyringError, _ expected: SecretError) throws {
        try open().add("a")
        let before = try folder.content(TestStore.itemsName)
        keyring.state.withLock { $0.error = error }
        let test = try open()
        #expect(throws: expected) { try test.values("a") }
        #expect(throws: expected) { try test.add("b") }
        #expect(throws: expected) { try test.store.settleKey() }
        #expect(try folder.content(TestStore.itemsName) == before)
        #expect(try keyFiles.isEmpty)
        keyring.state.withLock { $0.error = nil }
        #expect(try test.values("a") == ["secret"])
    }

    @Test func aKeyringWithoutTheKeyLosesNothingUntilTheUserGivesItUp() throws {
        try open().add("a")
        let keys = keyring.state.withLock { state in
            defer { state.keys = [:] }
            return state.keys
        }
        let test = try open()
        #expect(throws: SecretError.keyNotInKeyring) { try test.values("a") }
        #expect(throws: SecretError.keyNotInKeyring) { try test.add("b") }
        keyring.state.withLock { $0.keys = keys }
        #expect(try test.values("a") == ["secret"])
        // Not while the key can be read.
        #expect(throws: SecretError.invalid) { try test.store.abandonItems() }
        keyring.state.withLock { $0.keys = [:] }
        try test.store.abandonItems()
        #expect(test.reports.all == [.keyMissing(keptAs: "passwords.sealed.damaged-1")])
        try test.add("b")
        #expect(try test.values("b") == ["secret"])
    }

    @Test func aKeyringThatReturnsOtherBytesDestroysNothing() throws {
        try open().add("a")
        let before = try folder.content(TestStore.itemsName)
        keyring.state.withLock { $0.lie = secret("0123456789abcdef0123456789abcdef") }
        let test = try open()
        #expect(throws: SecretError.keyNotInKeyring) { try test.values("a") }
        #expect(throws: SecretError.keyNotInKeyring) { try test.add("b") }
        #expect(try folder.content(TestStore.itemsName) == before)
        #expect(test.reports.all.isEmpty)
        keyring.state.withLock { $0.lie = nil }
        #expect(try test.values("a") == ["secret"])
    }

    @Test func aKeyringThatForgetsNewKeysGetsNone() throws {
        try TestStore(in: folder).add("a")
        keyring.state.withLock { $0.forgets = true }
        let test = try open()
        try test.add("b")
        #expect(try keyFiles == ["passwords.key"])
        #expect(try TestStore(in: folder).values("b") == ["secret"])
    }

    @Test func aKeyringThatReturnsOtherBytesGetsOneNewKeyAndKeepsNone() throws {
        try TestStore(in: folder).add("a")
        keyring.state.withLock { $0.reverses = true }
        let test = try open()
        try test.add("b")
        try test.add("c")
        try test.store.settleKey()
        #expect(keyring.state.withLock { $0.stored } == 1)
        #expect(keyring.state.withLock { $0.keys.isEmpty })
        #expect(try keyFiles == ["passwords.key"])
        #expect(try TestStore(in: folder).values("c") == ["secret"])
    }

    @Test func aKeyOfAnInterruptedMoveThatIsReturnedInOtherBytesIsNotUsed() throws {
        try TestStore(in: folder).add("a")
        let key = secret("0123456789abcdef0123456789abcdef")
        let identifier = try #require(KeyIdentifier(of: key))
        keyring.state.withLock { $0.keys[identifier.text] = key }
        keyring.state.withLock { $0.reverses = true }
        try open().store.settleKey()
        #expect(try keyFiles == ["passwords.key"])
        keyring.state.withLock { $0.reverses = false }
        try open().store.settleKey()
        #expect(try keyFiles.isEmpty)
        #expect(keyring.state.withLock { $0.stored } == 1)
        #expect(try open().values("a") == ["secret"])
    }

    @Test func aReaderFindsTheKeyThatMovesIntoTheFileMeanwhile() throws {
        try open().add("a")
        let test = try open()
        let other = try open(prefersKeyring: false)
        keyring.state.withLock { state in
            state.beforeReply = {
                try? other.store.settleKey()
            }
        }
        #expect(try test.values("a") == ["secret"])
        #expect(try keyFiles == ["passwords.key"])
    }

    @Test func aKeyThatStaysWhereItIsLeavesTheFileAsItIs() throws {
        keyring.state.withLock { $0.error = .absent }
        let test = try open()
        try test.add("a")
        let before = try folder.content(TestStore.itemsName)
        try test.store.settleKey()
        #expect(try folder.content(TestStore.itemsName) == before)
    }

    @Test func theStoreSaysWhyTheKeyCannotBeRead() throws {
        let test = try open()
        #expect(test.store.keyFault == nil)
        try test.add("a")
        #expect(test.store.keyFault == nil)
        keyring.state.withLock { $0.error = .locked }
        #expect(test.store.keyFault == .keyringLocked)
        keyring.state.withLock { state in (state.error, state.keys) = (nil, [:]) }
        #expect(test.store.keyFault == .keyNotInKeyring)
    }

    // MARK: Processes that are killed

    private func run(_ place: String, _ arguments: String..., killedAt step: SecretStoreStep? = nil) async throws
        -> ProgramRun
    {
        var environment = ["PEER_KEYRING": place]
        environment["PURVEY_FAULT_POINT"] = step?.rawValue
        return try await RunningProgram(
            BuiltProgram.path("SecretsPeer"), [folder.path] + arguments, environment: environment
        ).end()
    }

    @Test(arguments: [SecretStoreStep.keyInKeyring, .itemsStaged, .itemsWritten, .itemsReplaced, .keyRemoved])
    func aKillWhileTheKeyMovesIntoTheKeyringLosesNothing(step: SecretStoreStep) async throws {
        try FileManager.default.createDirectory(atPath: folder.path + "/keyring", withIntermediateDirectories: true)
        try TestStore(in: folder).add("a")
        #expect(try await run("keyring", "settle", "-", killedAt: step).ending == .signalled(SIGKILL))
        #expect(try await run("keyring", "find", "a").text == "secret\n")
        #expect(try await run("keyring", "settle", "-").status == 0)
        #expect(try await run("keyring", "find", "a").text == "secret\n")
        #expect(try keyFiles.isEmpty)
        #expect(try folder.names("keyring").count == 1)
        #expect(try folder.names("items") == [".lock", "passwords.sealed"])
    }

    @Test(arguments: [SecretStoreStep.keyWritten, .keyNamed, .itemsStaged, .itemsWritten, .itemsReplaced])
    func aKillWhileTheKeyMovesIntoAFileLosesNothing(step: SecretStoreStep) async throws {
        try FileManager.default.createDirectory(atPath: folder.path + "/keyring", withIntermediateDirectories: true)
        #expect(try await run("keyring", "add", "a", "1").status == 0)
        #expect(try keyFiles.isEmpty)
        #expect(try await run("file", "settle", "-", killedAt: step).ending == .signalled(SIGKILL))
        #expect(try await run("file", "find", "a").text == "secret 0\n")
        #expect(try await run("file", "settle", "-").status == 0)
        #expect(try TestStore(in: folder).values("a") == ["secret 0"])
        #expect(try keyFiles == ["passwords.key"])
    }
}

import FileTesting
import Foundation
import Glibc
import LinuxSystem
import SecretStorage
import Secrets
import Testing

/// Files that are damaged, missing, or open to other users.
struct DamageTests {
    private let test: TestStore

    init() throws {
        test = try TestStore()
        try test.add("a", account: "", "very secret")
    }

    private func overwrite(_ name: String, _ bytes: [UInt8]) throws {
        let file = try test.folder.descriptor.open(name, [.writeOnly, .truncate])
        try file.overwrite(bytes, at: 0)
    }

    @Test func thePasswordIsNotInTheFile() throws {
        let bytes = try test.folder.content(TestStore.itemsName)
        #expect(Data(bytes).range(of: Data("very secret".utf8)) == nil)
        #expect(Data(bytes).range(of: Data("svce".utf8)) == nil)
    }

    @Test func filesAreOfTheirUserOnly() throws {
        for name in [TestStore.itemsName, TestStore.keyName] {
            #expect(try test.folder.status(name).permissions == 0o600)
        }
        #expect(try test.folder.names("keys") == ["passwords.key"])
        #expect(try test.folder.content(TestStore.keyName).count == 32)
    }

    @Test func equalItemsAreDifferentFiles() throws {
        let before = try test.folder.content(TestStore.itemsName)
        try test.store.update(
            UpdateSecretsCall(search: search("a"), attributes: [:], value: secret("very secret")),
            groups: TestStore.groups)
        let after = try test.folder.content(TestStore.itemsName)
        #expect(after.count == before.count)
        #expect(Array(after[8..<20]) != Array(before[8..<20]))
    }

    @Test(arguments: [0, 7, 8, 19, 20, 35, 36, -1]) func aChangedByteIsDamage(position: Int) throws {
        var bytes = try test.folder.content(TestStore.itemsName)
        let index = position < 0 ? bytes.count - 1 : position
        // Not upwards: a greater version is no damage.
        bytes[index] = index == 7 ? 0 : bytes[index] ^ 1
        try overwrite(TestStore.itemsName, bytes)
        #expect(throws: SecretError.notFound) { try test.values("a") }
        #expect(test.reports.all == [.itemsDamaged(keptAs: "passwords.sealed.damaged-1")])
        #expect(try test.folder.content(TestStore.itemsName + ".damaged-1") == bytes)
    }

    @Test(arguments: [0, 1, 8, 36, 60]) func aShorterFileIsDamage(count: Int) throws {
        let bytes = Array(try test.folder.content(TestStore.itemsName).prefix(count))
        try overwrite(TestStore.itemsName, bytes)
        try test.add("b")
        #expect(try test.values("b") == ["secret"])
        #expect(test.reports.all == [.itemsDamaged(keptAs: "passwords.sealed.damaged-1")])
        #expect(try test.folder.content(TestStore.itemsName + ".damaged-1") == bytes)
    }

    @Test func aLongerFileIsDamage() throws {
        try overwrite(TestStore.itemsName, try test.folder.content(TestStore.itemsName) + [0])
        #expect(throws: SecretError.notFound) { try test.values("a") }
        #expect(test.reports.all.count == 1)
    }

    @Test func eachDamagedFileHasANameOfItsOwn() throws {
        for number in 1...3 {
            try overwrite(TestStore.itemsName, [UInt8(number)])
            try test.add("b\(number)")
        }
        for number in 1...3 {
            #expect(try test.folder.content(TestStore.itemsName + ".damaged-\(number)") == [UInt8(number)])
        }
    }

    @Test func tooManyDamagedFilesAreAnErrorAndNoneIsOverwritten() throws {
        for number in 1...20 { try test.folder.file(TestStore.itemsName + ".damaged-\(number)", [1]) }
        try overwrite(TestStore.itemsName, [2])
        #expect(throws: SecretError.inputOutput) { try test.values("a") }
        #expect(throws: SecretError.inputOutput) { try test.add("b") }
        #expect(try test.folder.content(TestStore.itemsName) == [2])
        #expect(try test.folder.content(TestStore.itemsName + ".damaged-20") == [1])
        #expect(test.reports.all.first == .tooManyDamaged("passwords.sealed"))
    }

    @Test func aMissingKeySetsTheItemsAside() throws {
        let key = try test.folder.content(TestStore.keyName)
        let items = try test.folder.content(TestStore.itemsName)
        unlink(test.folder.path + "/" + TestStore.keyName)
        #expect(throws: SecretError.notFound) { try test.values("a") }
        #expect(test.reports.all == [.keyMissing(keptAs: "passwords.sealed.damaged-1")])
        try test.add("b")
        #expect(try test.folder.content(TestStore.keyName) != key)
        // Both restored, as a user does.
        try overwrite(TestStore.keyName, key)
        try overwrite(TestStore.itemsName, items)
        #expect(try test.values("a") == ["very secret"])
    }

    @Test(arguments: [0, 31, 33, 4096]) func aDamagedKeyIsSetAsideAsWell(count: Int) throws {
        try overwrite(TestStore.keyName, [UInt8](repeating: 7, count: count))
        #expect(throws: SecretError.notFound) { try test.values("a") }
        #expect(
            test.reports.all == [
                .itemsDamaged(keptAs: "passwords.sealed.damaged-1"), .keyDamaged(keptAs: "passwords.key.damaged-1"),
            ])
        #expect(try test.folder.content(TestStore.keyName + ".damaged-1").count == count)
        try test.add("b")
        #expect(try test.values("b") == ["secret"])
    }

    @Test func anotherKeyDoesNotOpenTheFile() throws {
        try overwrite(TestStore.keyName, [UInt8](repeating: 7, count: 32))
        #expect(throws: SecretError.notFound) { try test.values("a") }
        #expect(test.reports.all == [.itemsDamaged(keptAs: "passwords.sealed.damaged-1")])
        #expect(try test.folder.content(TestStore.keyName) == [UInt8](repeating: 7, count: 32))
    }

    @Test func aLaterVersionIsNeitherReadNorChanged() throws {
        var bytes = try test.folder.content(TestStore.itemsName)
        bytes[7] = 3
        try overwrite(TestStore.itemsName, bytes)
        #expect(throws: SecretError.inputOutput) { try test.values("a") }
        #expect(throws: SecretError.inputOutput) { try test.add("b") }
        #expect(try test.folder.content(TestStore.itemsName) == bytes)
        #expect(test.reports.all.first == .newerVersion("passwords.sealed"))
    }

    @Test(arguments: [TestStore.itemsName, TestStore.keyName])
    func aFileThatOthersCanReadIsClosedToThemAndReported(name: String) throws {
        chmod(test.folder.path + "/" + name, 0o644)
        #expect(try test.values("a") == ["very secret"])
        #expect(try test.folder.status(name).permissions == 0o600)
        #expect(test.reports.all == [.exposed((name as NSString).lastPathComponent)])
        #expect(try test.values("a") == ["very secret"])
        #expect(test.reports.all.count == 1)
    }

    @Test(arguments: [TestStore.itemsName, TestStore.keyName])
    func aLinkOrADirectoryIsNotUsed(name: String) throws {
        let path = test.folder.path + "/" + name
        rename(path, test.folder.path + "/moved")
        try test.folder.link(name, to: test.folder.path + "/moved")
        #expect(throws: SecretError.inputOutput) { try test.values("a") }
        unlink(path)
        mkdir(path, 0o700)
        #expect(throws: SecretError.inputOutput) { try test.add("b") }
        let file = (name as NSString).lastPathComponent
        #expect(test.reports.all.allSatisfy { $0 == .foreign(file) })
        #expect(test.reports.all.count == 2)
    }

    @Test func directoriesOpenToOthersAreRefused() throws {
        chmod(test.folder.path + "/keys", 0o750)
        #expect(throws: Errno.notPermitted) { try TestStore(in: test.folder) }
        let same = try test.folder.descriptor.open("items", [.readOnly, .directory])
        #expect(throws: Errno.invalidArgument) { try SecretStore(folder: same, keyFolder: same) { _ in } }
    }

    @Test func reportsAreSentencesWithoutSecrets() throws {
        try overwrite(TestStore.itemsName, [1])
        #expect(throws: SecretError.notFound) { try test.values("a") }
        let sentence = "\(test.reports.all)" + test.reports.all.map(\.description).joined()
        #expect(sentence.contains("sign in again"))
        #expect(!sentence.contains("very secret"))
    }
}

import FileTesting
import LinuxSystem
import SecretStorage
import Secrets
import Testing

/// A disk without room for the changed file.
struct FullDiskTests {
    @Test(.enabled(if: TestDisk.isWanted(.tmpfs), "no file system can be mounted"))
    func aChangeThatDoesNotFitIsAnErrorAndKeepsTheItems() throws {
        let disk = try TestDisk(.tmpfs, megabytes: 1)
        let keys = try TestStore.makeFolder()
        let store = try SecretStore(
            folder: disk.descriptor, keyFolder: keys.descriptor.open("keys", [.readOnly, .directory])
        ) { Issue.record("\($0)") }
        func add(_ account: String) throws(SecretError) {
            _ = try store.add(
                AddSecretCall(
                    itemClass: .genericPassword, attributes: [.account: .text(account)],
                    value: secret(String(repeating: "x", count: 200 << 10))),
                groups: TestStore.groups)
        }
        for account in ["a", "b"] { try add(account) }
        #expect(throws: SecretError.diskFull) { for account in ["c", "d", "e"] { try add(account) } }
        let all = FindSecretsCall(search: SecretSearch(itemClass: .genericPassword), limit: nil, wantsValues: true)
        let found = try store.find(all, groups: TestStore.groups)
        #expect(found.count >= 2)
        #expect(try disk.names() == [".lock", "passwords.sealed"])
        // A removal needs room as well: less than the additions did.
        let first = SecretSearch(itemClass: .genericPassword, attributes: [.account: .text("a")])
        try store.remove(RemoveSecretsCall(search: first), groups: TestStore.groups)
        #expect(try store.find(all, groups: TestStore.groups).count == found.count - 1)
    }
}

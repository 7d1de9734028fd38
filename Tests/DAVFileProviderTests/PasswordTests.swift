import DAVFileProvider
import FileTesting
import HTTPTransport
import LinuxSystem
import SecretStorage
import Secrets
import Testing

struct PasswordTests {
    @Test func `a domain's password is found under its server, user and domain only`() throws {
        let folder = try TestFolder()
        for name in ["items", "keys"] { try mkdir(name, in: folder) }
        let store = try SecretStore(
            folder: folder.descriptor.open("items", [.readOnly, .directory]),
            keyFolder: folder.descriptor.open("keys", [.readOnly, .directory]), limits: SecretLimits(),
            lockWait: .seconds(600), now: { 1_000 }
        ) { _ in }
        SharedSecrets.use(LocalSecrets(store, groups: AccessGroups(["org.purvey.test"])))
        defer { SharedSecrets.use(nil) }
        let passwords = KeychainPasswords()
        let (one, other) = (try HTTPAddress("https://a.example/").origin, try HTTPAddress("https://b.example/").origin)
        #expect(try passwords.password(for: "ada", at: one, domain: "first") == nil)
        try passwords.store("secret", for: "ada", at: one, domain: "first")
        try passwords.store("ünlike", for: "ada", at: one, domain: "second")
        try passwords.store("changed", for: "ada", at: one, domain: "first")
        #expect(try passwords.password(for: "ada", at: one, domain: "first") == "changed")
        #expect(try passwords.password(for: "ada", at: one, domain: "second") == "ünlike")
        #expect(try passwords.password(for: "bob", at: one, domain: "first") == nil)
        #expect(try passwords.password(for: "ada", at: other, domain: "first") == nil)
    }

    private func mkdir(_ name: String, in folder: TestFolder) throws {
        guard let name = FileName(name) else { throw Errno.invalidArgument }
        try folder.descriptor.makeDirectory(name, permissions: 0o700)
    }
}

import FileTesting
import LinuxSystem
import SecretStorage
import Secrets

/// A store in a separate directory.
struct TestStore {
    let folder: TestFolder
    let store: SecretStore
    let reports = Reports()

    static let itemsName = "items/passwords.sealed"
    static let keyName = "keys/passwords.key"

    /// The reports of a store.
    final class Reports: Sendable {
        // Leaf lock.
        private let state = Lock<[SecretStoreReport]>([])

        var all: [SecretStoreReport] { state.withLock { $0 } }

        func add(_ report: SecretStoreReport) { state.withLock { $0.append(report) } }
    }

    /// Creates an empty store, or opens one that exists in a folder.
    init(
        in folder: TestFolder? = nil, limits: SecretLimits = SecretLimits(), keyring: (any Keyring)? = nil,
        prefersKeyring: Bool = true, lockWait: Duration = .seconds(600)
    ) throws {
        self.folder = try folder ?? TestStore.makeFolder()
        let reports = reports
        store = try SecretStore(
            folder: self.folder.descriptor.open("items", [.readOnly, .directory]),
            keyFolder: self.folder.descriptor.open("keys", [.readOnly, .directory]), limits: limits,
            keyring: keyring, prefersKeyring: prefersKeyring, lockWait: lockWait, now: { 1_000 }
        ) { reports.add($0) }
    }

    /// Makes the directories of a store, which only their user can use.
    static func makeFolder() throws -> TestFolder {
        let folder = try TestFolder()
        for name in ["items", "keys"] {
            guard let name = FileName(name) else { throw Errno.invalidArgument }
            try folder.descriptor.makeDirectory(name, permissions: 0o700)
        }
        return folder
    }

    @discardableResult
    func add(
        _ service: String, account: String = "", _ value: String = "secret", group: String? = nil
    ) throws(SecretError) -> SecretItem {
        var attributes: SecretAttributes = [.service: .text(service), .account: .text(account)]
        if let group { attributes[.group] = .text(group) }
        return try store.add(
            AddSecretCall(itemClass: .genericPassword, attributes: attributes, value: secret(value)),
            groups: Self.groups)
    }

    /// Returns the passwords of a service.
    func values(_ service: String) throws(SecretError) -> [String] {
        try store.find(
            FindSecretsCall(search: search(service), limit: nil, wantsValues: true), groups: Self.groups
        ).map { $0.value?.withBytes { String(decoding: $0, as: UTF8.self) } ?? "" }
    }

    static let groups = AccessGroups(["test", "other"])
}

func secret(_ text: String) -> SecretBytes { Array(text.utf8).withUnsafeBytes { SecretBytes(copying: $0) } }

func search(_ service: String) -> SecretSearch {
    SecretSearch(itemClass: .genericPassword, attributes: [.service: .text(service)])
}

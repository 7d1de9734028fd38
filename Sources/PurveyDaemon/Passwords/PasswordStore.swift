import Conduit
import Exchange
import FileProvider
import LinuxSystem
import SecretStorage
import Secrets

/// The user's stored passwords, as the daemon serves them to providers and to other programs.
struct PasswordStore: Sendable {
    let store: SecretStore
    /// The keyring; `nil` if the desktop's bus is not used.
    let keyring: DesktopKeyring?
    let waiting = WaitingProviders()
    private let service: SecretService
    private let groups: SecretGroups

    /// Opens the store, and creates its two directories: one for the passwords, one for the key. Therefore a copy of
    /// only one of them does not reveal the passwords. Blocks on the disk.
    init(_ locations: Locations, bundles: BundleRegistry, bus: DesktopBusProcess?, log: DaemonLog) throws(Errno) {
        let folders = [locations.data + "/passwords", locations.data + "/keys"]
        for folder in folders { try PrivateFolder.make(folder) }
        keyring = bus.map { DesktopKeyring($0, store: locations.data) }
        store = try SecretStore(
            folder: .open(folders[0], [.readOnly, .directory, .noFollow]),
            keyFolder: .open(folders[1], [.readOnly, .directory, .noFollow]),
            keyring: keyring, prefersKeyring: Self.prefersKeyring
        ) { report in log.warning("\(report)") }
        service = SecretService(store)
        groups = SecretGroups(bundles: bundles, data: locations.data)
    }

    /// Adds the calls through which a provider's process uses the items of its access groups.
    func addCalls(to calls: inout Service, ofProvider identifier: String) {
        service.addCalls(to: &calls, noting: { [waiting] in waiting.note($0, of: identifier) }) { [groups] _ in
            groups.groups(ofExtension: identifier)
        }
    }

    /// Adds the calls through which a program uses the items of its bundle's access groups.
    func addCalls(to calls: inout Service) {
        service.addCalls(to: &calls) { [groups] in groups.groups(ofProgramAt: $0) }
    }

    /// Removes the passwords and other items that a provider has stored for a domain. These are the items with the
    /// domain's identifier in one of their attributes. Blocks on the disk.
    ///
    /// Must be called only with identifiers that Purvey has created. They are unique, so that no other item contains
    /// one.
    func removeItems(ofDomain identifier: String, provider: String) throws(SecretError) {
        let own = LocalSecrets(store, groups: groups.groups(ofExtension: provider))
        for itemClass in [SecretClass.genericPassword, .internetPassword] {
            let search = SecretSearch(itemClass: itemClass, synchronized: .any)
            let items: [SecretItem]
            do throws(SecretError) {
                items = try own.find(FindSecretsCall(search: search, limit: nil, wantsValues: false))
            } catch .notFound {
                continue
            }
            for item in items where item.attributes.values.contains(where: { $0.contains(identifier) }) {
                let search = SecretSearch(itemClass: nil, synchronized: .any, reference: item.reference)
                try own.remove(RemoveSecretsCall(search: search))
            }
        }
    }
}

extension SecretValue {
    /// Whether the value contains a text, as characters or as UTF-8 bytes.
    fileprivate func contains(_ text: String) -> Bool {
        switch self {
        case .text(let value): value.contains(text)
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self).contains(text)
        case .number, .flag: false
        }
    }
}

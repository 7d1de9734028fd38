import DomainMessages
import ExtensionHost
import FileProviderWire
import Foundation
import LinuxSystem
import PropertyLists

/// A domain as stored on disk, in a directory with the domain's name.
struct DomainRecord: Sendable, Equatable {
    /// The local name, which is also the name of the directory.
    let name: String
    /// The identifier by which the provider knows the domain. Each added domain gets a new identifier, so that data of
    /// a removed domain is not reused.
    let identifier: String
    /// The identifier of the provider's extension.
    let provider: String
    var settings: [DomainSetting]
    /// The properties that the provider's own program set; `nil` if the user added the domain.
    var managed: ManagedDomain?
    /// The identity of the directory that the user handed to the domain; `nil` if the user handed none, or if the
    /// directory could not be opened yet.
    var handed: HandedFolder?
    /// The reason why the provider's own program disconnected the domain; `nil` if the domain is connected.
    var disconnection: String?
    /// Whether the user has paused background transfers.
    var isPaused = false

    /// The name of the record's file in the domain's directory.
    static let fileName = "domain.plist"

    /// Returns a placeholder for a record that cannot be read.
    static func damaged(_ name: String) -> DomainRecord {
        DomainRecord(name: name, identifier: "", provider: "unknown", settings: [])
    }

    var isDamaged: Bool { identifier.isEmpty }

    /// Returns a sentence with the reason why a domain's name is invalid; `nil` if the name is valid.
    static func fault(ofName name: String) -> String? {
        let hasControls = name.unicodeScalars.contains { $0.properties.generalCategory == .control }
        if name.isEmpty || name.utf8.count > 200 { return "a domain's name has 1 to 200 bytes" }
        if name.hasPrefix(".") || name.hasSlash || name.firstColon != nil || hasControls {
            return
                "\"\(name)\" cannot be the name of a domain: it begins with no dot and has no /, no : and no control characters"
        }
        return nil
    }

    /// The path of the directory that was handed to the domain.
    var path: String? { settings.last { $0.key == DomainSetting.path }?.value }

    /// The maximum number of bytes of clean contents that stay local.
    var cacheLimit: Int64 {
        settings.last { $0.key == DomainSetting.cache }.flatMap { ByteCount.read($0.value) } ?? Self.standardCacheLimit
    }

    private static let standardCacheLimit: Int64 = 10 << 30

    /// The domain, in the form that is sent to its provider's process.
    var providerDomain: ProviderDomain {
        guard let managed else {
            return ProviderDomain(
                identifier: identifier, displayName: name, path: path, handed: handed, userInfo: userInfo)
        }
        return ProviderDomain(
            identifier: managed.identifier, displayName: managed.displayName, path: path, handed: handed,
            storage: managed.storage.isEmpty ? nil : managed.storage, userInfo: managed.userInfo)
    }

    /// The user's settings for the provider, as a property list; `nil` if there are none.
    private var userInfo: [UInt8]? {
        let own = settings.filter { $0.key != DomainSetting.path && !$0.isOwn }
        guard !own.isEmpty else { return nil }
        let values = Dictionary(own.map { ($0.key, $0.value) }) { _, last in last }
        return (try? PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0))
            .map { [UInt8]($0) }
    }

    /// Whether background transfers also run on a metered network.
    var usesMeteredNetworks: Bool { settings.last { $0.key == DomainSetting.metered }?.value == "use" }

    /// The domain, in the form that is sent to the provider's own program.
    var description: ManagedDomain {
        managed
            ?? ManagedDomain(
                identifier: identifier, displayName: name, storage: providerDomain.documentFolder)
    }

    /// Reads a record from disk; `nil` if the record is damaged.
    init?(propertyList data: Data) {
        guard let list = ForeignPropertyList.dictionary(data), let name = list["Name"] as? String,
            Self.fault(ofName: name) == nil, let identifier = list["Identifier"] as? String, !identifier.isEmpty,
            let provider = list["Provider"] as? String, let settings = list["Settings"] as? [String: String]
        else { return nil }
        self.init(
            name: name, identifier: identifier, provider: provider,
            settings: settings.sorted { $0.key < $1.key }.map { DomainSetting(key: $0.key, value: $0.value) })
        disconnection = list["Disconnection"] as? String
        isPaused = list["Paused"] as? Bool ?? false
        if let folder = list["Folder"] as? [String: String], let path = folder["Path"],
            let identity = folder["Identity"]
        {
            handed = HandedFolder(path: path, identity: identity)
        }
        guard let managed = list["Managed"] else { return }
        guard let values = managed as? [String: Any], let managed = ManagedDomain(values: values) else { return nil }
        self.managed = managed
    }

    init(
        name: String, identifier: String, provider: String, settings: [DomainSetting], managed: ManagedDomain? = nil
    ) {
        self.name = name
        self.identifier = identifier
        self.provider = provider
        self.settings = settings
        self.managed = managed
    }

    func propertyList() throws -> Data {
        let settings = Dictionary(settings.map { ($0.key, $0.value) }) { _, last in last }
        var list: [String: Any] = [
            "Name": name, "Identifier": identifier, "Provider": provider, "Settings": settings,
        ]
        list["Managed"] = managed?.values
        list["Disconnection"] = disconnection
        if isPaused { list["Paused"] = true }
        list["Folder"] = handed.map { ["Path": $0.path, "Identity": $0.identity] }
        return try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
    }
}

extension ManagedDomain {
    /// Reads the properties from disk; `nil` if they are damaged.
    fileprivate init?(values: [String: Any]) {
        guard let identifier = values["Identifier"] as? String, let displayName = values["Display Name"] as? String,
            let storage = values["Storage"] as? String
        else { return nil }
        self.init(
            identifier: identifier, displayName: displayName, storage: storage,
            isReplicated: values["Replicated"] as? Bool ?? false, isHidden: values["Hidden"] as? Bool ?? false,
            isSearchable: values["Searchable"] as? Bool ?? false,
            userInfo: (values["User Info"] as? Data).map { [UInt8]($0) })
    }

    fileprivate var values: [String: Any] {
        var values: [String: Any] = [
            "Identifier": identifier, "Display Name": displayName, "Storage": storage, "Replicated": isReplicated,
            "Hidden": isHidden, "Searchable": isSearchable,
        ]
        values["User Info"] = userInfo.map { Data($0) }
        return values
    }
}

import ExtensionHost
import FileProvider
import Foundation
import PropertyLists

/// A domain as it is kept on disk, in a folder that is named like it.
struct DomainRecord: Sendable, Equatable {
    /// What it is called here: a folder's name.
    let name: String
    /// What its provider knows it by. Another one each time that a domain is added: nothing is left of one that was removed.
    let identifier: String
    /// The identifier of the provider's extension.
    let provider: String
    let settings: [DomainSetting]

    /// The file within the domain's folder.
    static let fileName = "domain.plist"

    /// What is wrong with a name for a domain, in one sentence; `nil` for nothing.
    static func fault(ofName name: String) -> String? {
        let hasControls = name.unicodeScalars.contains { $0.properties.generalCategory == .control }
        if name.isEmpty || name.utf8.count > 200 { return "a domain's name has 1 to 200 bytes" }
        if name.hasPrefix(".") || name.contains("/") || name.contains(":") || hasControls {
            return
                "\"\(name)\" cannot be the name of a domain: it begins with no dot and has no /, no : and no control characters"
        }
        return nil
    }

    /// The folder that was handed to it.
    var path: String? { settings.last { $0.key == DomainSetting.path }?.value }

    /// The domain as its provider's process is told of it.
    var providerDomain: ProviderDomain { ProviderDomain(identifier: identifier, displayName: name, path: path) }

    /// Reads what is kept on disk; `nil` when it is damaged.
    init?(propertyList data: Data) {
        guard let list = ForeignPropertyList.dictionary(data), let name = list["Name"] as? String,
            Self.fault(ofName: name) == nil, let identifier = list["Identifier"] as? String, !identifier.isEmpty,
            let provider = list["Provider"] as? String, let settings = list["Settings"] as? [String: String]
        else { return nil }
        self.init(
            name: name, identifier: identifier, provider: provider,
            settings: settings.sorted { $0.key < $1.key }.map { DomainSetting(key: $0.key, value: $0.value) })
    }

    init(name: String, identifier: String, provider: String, settings: [DomainSetting]) {
        self.name = name
        self.identifier = identifier
        self.provider = provider
        self.settings = settings
    }

    func propertyList() throws -> Data {
        let settings = Dictionary(settings.map { ($0.key, $0.value) }) { _, last in last }
        let list: [String: Any] = [
            "Name": name, "Identifier": identifier, "Provider": provider, "Settings": settings,
        ]
        return try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
    }
}

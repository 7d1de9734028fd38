import AppExtension
import FileProvider
import LinuxSystem

/// What the user interface of a domain's provider shares with the provider.
extension ProviderDomain {
    /// What it is told of where it is: the same as the provider's own process. Blocks on the file system.
    ///
    /// - Parameters:
    ///   - provider: the identifier of the provider's extension.
    ///   - data: the folder of what Purvey keeps for this user.
    package func greeting(
        of interface: ExtensionBundle, of provider: String, apartFrom kept: [String], data: String
    ) throws -> BeginProviderCall {
        let data = Self.canonical(data) ?? data
        return BeginProviderCall(
            version: ProviderWire.version, domain: identifier, displayName: displayName,
            storage: Self.storage(of: provider, data: data), domainFolder: documentFolder,
            temporary: try Container(of: interface, data: data).temporary,
            path: try handedFolder(apartFrom: kept + [data]), answerTime: Double(interface.timeLimit),
            transferTime: Double(interface.timeLimit), bundleIdentifier: provider, userInfo: userInfo)
    }

    /// The folders that it may use: the one that was handed to the domain, and the domain's in the provider's document storage. The
    /// provider may have put a link in the place of that, which leads it nowhere. Blocks on the file system.
    func places(
        ofInterfaceOf provider: String, apartFrom kept: [String], data: String
    ) throws -> [(path: String, access: Confinement.Access)] {
        let data = Self.canonical(data) ?? data
        let documents = Self.storage(of: provider, data: data) + "/" + documentFolder
        var places: [(path: String, access: Confinement.Access)] = [(documents, [.read, .write, .withoutLinks])]
        if let handed = try handedFolder(apartFrom: kept + [data]) { places.append((handed, [.read, .write])) }
        return places
    }
}

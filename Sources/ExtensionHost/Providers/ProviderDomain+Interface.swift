import AppExtension
import FileProvider
import LinuxSystem
import Sandbox

/// The state that the user interface of a domain's provider shares with the provider.
extension ProviderDomain {
    /// Returns the greeting for the user interface's process, with the same locations as for the provider's process.
    /// Blocks on the file system.
    ///
    /// - Parameters:
    ///   - provider: The identifier of the provider's extension.
    ///   - data: The directory of Purvey's data for this user.
    package func greeting(
        of interface: ExtensionBundle, of provider: String, apartFrom kept: [String], data: String
    ) throws -> BeginProviderCall {
        let data = Self.canonical(data) ?? data
        return BeginProviderCall(
            version: ProviderWire.version, domain: identifier, displayName: displayName,
            storage: Self.storage(of: provider, data: data), domainFolder: documentFolder,
            temporary: try Container(of: interface, data: data).temporary,
            path: try handedFolder(apartFrom: kept + [data])?.path, answerTime: Double(interface.timeLimit),
            transferTime: Double(interface.timeLimit), bundleIdentifier: provider, userInfo: userInfo)
    }

    /// Returns the directories that the process may access: the directory that was handed to the domain, and the
    /// domain's own directory in the provider's document storage. If the provider has replaced its own directory by a
    /// link, the link is not followed. Blocks on the file system.
    func places(
        ofInterfaceOf provider: String, apartFrom kept: [String], data: String
    ) throws -> [(path: String, access: Confinement.Access)] {
        let data = Self.canonical(data) ?? data
        let documents = Self.storage(of: provider, data: data) + "/" + documentFolder
        var places: [(path: String, access: Confinement.Access)] = [(documents, [.read, .write, .withoutLinks])]
        if let handed = try handedFolder(apartFrom: kept + [data]) { places.append(handed.place) }
        return places
    }
}

import ExtensionHost
import LinuxSystem

/// The document storages of the domains' providers.
extension DomainService {
    /// Returns the provider and the domain that own a file of a document storage.
    ///
    /// - Parameter path: The path relative to the directory of all containers.
    /// - Returns: `nil` if the file is not in a domain's directory.
    func owner(ofStoredFile path: String) async throws -> (provider: String, RunningDomain)? {
        let names = path.pathNames
        guard names.count > 2, names[1] == ProviderDomain.storageFolder else { return nil }
        let provider = names[0]
        try await settled(of: [provider])
        let file = names.dropFirst(2)
        for place in places.values where place.record.provider == provider {
            let folder = place.record.providerDomain.documentFolder.pathNames
            guard file.count > folder.count, file.starts(with: folder) else { continue }
            return (provider, try await domain(place.record.name))
        }
        return nil
    }
}

import Conduit
import DomainMessages
import ExtensionHost
import FileCoordination
import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Serves the calls of programs that use the services of providers.
extension DomainService {
    nonisolated func addServiceCalls(
        to service: inout Service, _ programs: ProviderPrograms, _ storages: ProvidedStorages
    ) {
        service.on(ItemServicesCall.self) { request, call in
            call.answerProvider {
                switch request.place {
                case .path(let path):
                    let (domain, item) = try await self.item(at: path, storages)
                    let names = try await domain.provider.services(of: item, isOwn: false)
                    return .init(domain: domain.identifier, item: item, names: names)
                case .item(let item, let identifier):
                    let providers = try await programs.providers(ofProgramAt: call.connection)
                    let (_, domain) = try await self.first(identifier, of: providers)
                    let names = try await domain.provider.services(of: item, isOwn: true)
                    return .init(domain: domain.identifier, item: item, names: names)
                }
            }
        }
        service.on(OpenServiceCall.self) { request, call in
            call.answerProvider {
                let (provider, domain) = try await self.running(request.domain)
                // The request fails if the program has no provider, as is the case for most programs.
                let own = (try? await programs.providers(ofProgramAt: call.connection)) ?? []
                return .init(
                    socket: try await domain.provider.openService(
                        request.name, of: request.item, isOwn: own.contains(provider)))
            }
        }
    }

    /// Finds the item at the given path, which is in a mount or in a provider's document storage.
    private func item(at path: String, _ storages: ProvidedStorages) async throws -> (RunningDomain, String) {
        if let stored = try await storages.item(at: ExactPath(path)) { return stored }
        let found = try await place(ItemPlace(text: path, path: path))
        guard found.item.isKnownToProvider else {
            throw ProviderError.domain(.noSuchItem, "The provider does not know of \(path) yet.")
        }
        return (found.domain, found.item.item.identifier)
    }

    /// Returns a running domain and its provider, by the identifier of the domain's record.
    private func running(_ identifier: String) async throws -> (provider: String, RunningDomain) {
        try await ready()
        for case .running(let record, let domain) in places.values where record.identifier == identifier {
            return (record.provider, domain)
        }
        throw ProviderError.domain(.providerDomainNotFound, "The domain is not there any more.")
    }
}

/// Finds the owners of files in the document storages of providers.
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

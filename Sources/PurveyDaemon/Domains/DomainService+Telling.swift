import CloudMount
import DomainMessages
import FileProviderEngine

/// Describes domains to clients.
extension DomainService {
    /// Returns the path on which a domain is mounted; `nil` if the domain is not mounted.
    func mountedPath(of record: DomainRecord) -> String? {
        if case .mounted(let path) = mounts?.states[record.identifier] { return path }
        return nil
    }

    func description(of place: DomainState) -> DomainDescription {
        let record = place.record
        var description = DomainDescription(
            name: record.name, identifier: record.identifier, provider: record.provider, settings: record.settings,
            cacheLimit: record.cacheLimit, state: .running, mount: nil, fault: nil)
        switch place {
        case .changing: description.state = .changing
        case .failed(_, let fault):
            description.state = .failed
            description.fault = StatusErrors(domain: record.name, provider: record.provider).text(fault)
        case .running:
            switch mounts?.states[record.identifier] {
            case .mounted(let path): description.mount = path
            case .unmounted(let path):
                description.fault = "it was unmounted from \(path); 'purvey retry \(record.name.shellWord)' mounts it"
            case .failed(let failure):
                let errors = StatusErrors(domain: record.name, provider: record.provider)
                description.fault = errors.text("it cannot be mounted: \(failure)")
            case nil: break
            }
        }
        return description
    }

    func descriptions() async throws -> [DomainDescription] {
        try await ready()
        return places.values.map(description).sorted { $0.name < $1.name }
    }

    /// Returns the running domain with the given name. Throws an error if no such domain runs.
    func domain(_ name: String) async throws -> RunningDomain {
        try await ready()
        switch places[name] {
        case .running(_, let domain): return domain
        case .changing: throw DomainError("\(name) is being changed; try again")
        case .failed(_, let fault): throw DomainError("\(name) does not run: \(fault)")
        case nil: throw DomainError.noSuchDomain(name, among: places.keys)
        }
    }
}

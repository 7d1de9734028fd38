import AppExtension
import Conduit
import DomainMessages
import Exchange
import ExtensionHost
import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Converts between items and the paths that users see, for providers' programs and extensions.
extension DomainService {
    func visiblePath(
        of identifier: String, in record: DomainRecord, _ domain: RunningDomain
    ) async throws -> VisiblePathCall.Value {
        guard let mount = mountedPath(of: record) else {
            throw ProviderError.domain(
                .providerDomainTemporarilyUnavailable, "The domain \(record.name) is not mounted.")
        }
        let item = try await domain.engine.learn(of: identifier)
        let names: [String] = try await HandlerThreads.shared.value { () throws in
            try domain.engine.index.names(onTheWayTo: item)
        }
        let path = ([mount] + names).joined(separator: "/")
        return .init(path: path, isFolder: item.item.kind == .folder)
    }

    /// Returns the item at the given path, which is one of the paths that the user sees.
    ///
    /// - Parameter own: The domains that the item may be in.
    func visibleItem(at path: String, among own: [DomainRecord]) async throws -> VisibleItemCall.Value {
        let found = try await place(ItemPlace(text: path, path: path))
        guard let record = own.first(where: { $0.identifier == found.domain.identifier }) else {
            throw ProviderError(.noSuchItem, message: "\(path) is none of the provider's items.")
        }
        return .init(item: found.item.item.identifier, domain: record.description.identifier)
    }

    /// Returns all domains of the provider that serves a given domain. Does not wait for domains that are being started
    /// or removed, because the caller may itself be part of such a start or removal.
    ///
    /// - Parameter identifier: The identifier of the domain's record.
    fileprivate func siblings(of identifier: String) throws -> [DomainRecord] {
        guard let provider = places.values.first(where: { $0.record.identifier == identifier })?.record.provider else {
            throw ProviderError.domain(.providerDomainTemporarilyUnavailable, "The domain is being started.")
        }
        return places.values.map(\.record).filter { $0.provider == provider && !$0.identifier.isEmpty }
            .sorted { $0.name < $1.name }
    }

    fileprivate func visiblePath(of item: String, in domain: RunningDomain) async throws -> VisiblePathCall.Value {
        guard case .running(let record, _)? = places.values.first(where: { $0.record.identifier == domain.identifier })
        else { throw ProviderError.domain(.providerDomainTemporarilyUnavailable, "The domain is being started.") }
        return try await visiblePath(of: item, in: record, domain)
    }
}

/// A weak reference to the service, for the calls of domains' extensions. The reference exists before the service, and
/// refers to the service as soon as the service is created.
final class DomainServiceReference: Sendable {
    private struct Weak: Sendable { weak var service: DomainService? }
    // Leaf lock.
    private let state = Lock(Weak())

    func set(_ service: DomainService) { state.withLock { $0.service = service } }

    /// Stores the directory that was handed to a domain, if the domain's record lacks it.
    func note(_ folder: HandedFolder, of identifier: String) {
        guard let service = state.withLock({ $0.service }) else { return }
        Task { await service.noteHanded(folder, of: identifier) }
    }

    fileprivate func get() throws -> DomainService {
        if let service = state.withLock({ $0.service }) { return service }
        throw ProviderError.domain(.providerDomainTemporarilyUnavailable, "The daemon is ending.")
    }
}

extension Service {
    /// Adds those calls of a domain's extension that need the service because the domain's engine alone cannot serve
    /// them.
    ///
    /// - Parameter domain: Returns the domain; `nil` before it runs.
    mutating func addExtensionCalls(
        _ service: DomainServiceReference, _ domain: @escaping @Sendable () -> RunningDomain?
    ) {
        @Sendable func running() throws -> RunningDomain {
            if let domain = domain() { return domain }
            throw ProviderError.domain(.providerDomainTemporarilyUnavailable, "The domain is being started.")
        }
        on(ManagedDomainsCall.self) { _, call in
            call.answerProvider {
                let records = try await service.get().siblings(of: try running().identifier)
                return .init(domains: records.map(\.description))
            }
        }
        on(VisiblePathCall.self) { request, call in
            call.answerProvider { try await service.get().visiblePath(of: request.item, in: try running()) }
        }
        on(VisibleItemCall.self) { request, call in
            call.answerProvider {
                let service = try service.get()
                let own = try await service.siblings(of: try running().identifier)
                return try await service.visibleItem(at: request.path, among: own)
            }
        }
    }
}

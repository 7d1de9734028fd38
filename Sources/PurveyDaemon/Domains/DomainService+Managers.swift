import Conduit
import DomainMessages
import Exchange
import ExtensionHost
import FileProvider
import FileProviderEngine
import FileProviderWire
import Foundation
import Glibc
import LinuxSystem
import PropertyLists

/// Serves the calls that providers' own programs make through `NSFileProviderManager`.
extension DomainService {
    nonisolated func addManagerCalls(to service: inout Service, _ programs: ProviderPrograms) {
        on(ManagerPlaceCall.self, programs, in: &service) { _, service, providers in
            let provider = try Self.only(providers)
            let storage = ProviderDomain.storage(of: provider, data: service.folders.locations.data)
            return .init(identifier: provider, storage: storage)
        }
        on(ManagedDomainsCall.self, programs, in: &service) { _, service, providers in
            .init(domains: try await service.records(of: providers).map(\.description))
        }
        on(AddManagedDomainCall.self, programs, in: &service) { request, service, providers in
            try await service.add(request.domain, of: try Self.only(providers))
        }
        on(ImportManagedDomainCall.self, programs, in: &service) { request, service, providers in
            try await service.importDomain(request.domain, from: request.path, of: try Self.only(providers))
        }
        on(RemoveManagedDomainsCall.self, programs, in: &service) { request, service, providers in
            .init(edits: try await service.remove(request.identifier, of: providers))
        }
        on(ManagerSignalCall.self, programs, in: &service) { request, service, providers in
            for (_, domain) in try await service.running(request.domain, of: providers) {
                domain.engine.signal(container: request.container)
            }
            return Empty()
        }
        on(ManagerResolvedCall.self, programs, in: &service) { request, service, providers in
            for (_, domain) in try await service.running(request.domain, of: providers) {
                await domain.engine.resolved()
            }
            return Empty()
        }
        on(ManagerDisconnectCall.self, programs, in: &service) { request, service, providers in
            if let reason = request.reason, reason.utf8.count > ManagerDisconnectCall.longestReason {
                throw DomainError("a reason has at most \(ManagerDisconnectCall.longestReason) bytes")
            }
            for (record, domain) in try await service.running(request.domain, of: providers) {
                var changed = record
                changed.disconnection = request.isTemporary ? nil : request.reason
                if changed != record { try await service.update(changed) }
                domain.provider.setDisconnected(because: request.reason)
                await service.noteWatch(record.name)
                service.states.noteDomain(record.identifier)
                if request.reason == nil { await domain.engine.retry() }
            }
            return Empty()
        }
        addItemCalls(to: &service, programs)
    }

    private nonisolated func addItemCalls(to service: inout Service, _ programs: ProviderPrograms) {
        on(VisiblePathCall.self, programs, in: &service) { request, service, providers in
            let (record, domain) = try await service.first(request.domain, of: providers)
            return try await service.visiblePath(of: request.item, in: record, domain)
        }
        on(VisibleItemCall.self, programs, in: &service) { request, service, providers in
            try await service.visibleItem(at: request.path, among: try await service.records(of: providers))
        }
        onItems(ManagerTransferCall.self, programs, in: &service, { $0.domain }) { try await $0.transfer($1) }
        onItems(ManagerSettleCall.self, programs, in: &service, { $0.domain }) { try await $0.settle($1) }
        onItems(ManagerModificationCall.self, programs, in: &service, { $0.domain }) { try await $0.modify($1) }
        onItems(ManagerReimportCall.self, programs, in: &service, { $0.domain }) { try await $0.reimport($1) }
        onItems(ManagerSetCall.self, programs, in: &service, { $0.domain }) { try await $0.items($1) }
        onItems(ManagerSetVersionCall.self, programs, in: &service, { $0.domain }) { try await $0.version($1) }
        on(ManagerProgressCall.self, programs, in: &service) { request, service, providers in
            var totals = TransferTotals()
            for (_, domain) in try await service.running(request.domain, of: providers) {
                totals = totals + (try await ManagedItems(domain: domain).totals(request))
            }
            return totals
        }
    }

    /// Serves a call about the items of one domain.
    private nonisolated func onItems<C: ProviderCall>(
        _: C.Type, _ programs: ProviderPrograms, in service: inout Service,
        _ domain: @escaping @Sendable (C) -> String?,
        _ body: @escaping @Sendable (ManagedItems, C) async throws -> C.Value
    ) where C.Reply == ProviderReply<C.Value> {
        on(C.self, programs, in: &service) { request, service, providers in
            let (_, running) = try await service.first(domain(request), of: providers)
            return try await body(ManagedItems(domain: running), request)
        }
    }

    /// Serves a call of a program that owns at least one provider.
    private nonisolated func on<C: ProviderCall>(
        _: C.Type, _ programs: ProviderPrograms, in service: inout Service,
        _ body: @escaping @Sendable (C, DomainService, [String]) async throws -> C.Value
    ) where C.Reply == ProviderReply<C.Value> {
        service.on(C.self) { request, call in
            call.answerProvider {
                let providers = try await programs.providers(ofProgramAt: call.connection)
                return try await body(request, self, providers)
            }
        }
    }

    private static func only(_ providers: [String]) throws -> String {
        guard providers.count == 1, let provider = providers.first else {
            throw ProviderError.domain(
                .providerNotFound,
                "The program has several file providers: " + providers.joined(separator: ", ") + ".")
        }
        return provider
    }

    // MARK: Domains

    /// Returns the domains of providers, including those that are not running. Waits for a limited time for domains
    /// that are being started or removed.
    private func records(of providers: [String]) async throws -> [DomainRecord] {
        try await settled(of: providers)
        return places.values.map(\.record).filter { providers.contains($0.provider) && !$0.identifier.isEmpty }
            .sorted { $0.name < $1.name }
    }

    /// Returns an array that contains the running domain with the given identifier. If the identifier is `nil`, returns
    /// the domains that the user added, because the program does not know their identifiers.
    private func running(
        _ identifier: String?, of providers: [String]
    ) async throws -> [(DomainRecord, RunningDomain)] {
        let records = try await records(of: providers).filter { record in
            identifier.map { record.description.identifier == $0 } ?? (record.managed == nil)
        }
        var domains: [(DomainRecord, RunningDomain)] = []
        for record in records { domains.append((record, try await domain(record.name))) }
        guard !domains.isEmpty else {
            throw ProviderError.domain(
                .providerDomainNotFound, "The provider has no domain \(identifier ?? "that the user has added").")
        }
        return domains
    }

    /// Returns the first domain of ``running(_:of:)``. Throws if no such domain exists.
    func first(
        _ identifier: String?, of providers: [String]
    ) async throws -> (DomainRecord, RunningDomain) {
        guard let first = try await running(identifier, of: providers).first else {
            throw ProviderError.domain(.providerDomainNotFound, "The provider has no such domain.")
        }
        return first
    }

    /// Adds a domain and imports a directory into it. Returns when the import has begun.
    private func importDomain(_ domain: ManagedDomain, from path: String, of provider: String) async throws -> Empty {
        guard try await !records(of: [provider]).contains(where: { $0.description.identifier == domain.identifier })
        else { throw ProviderError(CocoaError(.fileWriteFileExists)) }
        let status = try await HandlerThreads.shared.value { () throws(DomainError) in
            do throws(Errno) {
                return try FileStatus.of(path, followingLinks: false)
            } catch {
                throw DomainError("\(path) cannot be imported: \(error)")
            }
        }
        let mounts = keptFolders + [folders.locations.data]
        guard path.isAbsolutePath, status.kind == .directory, status.owner == getuid(),
            !mounts.contains(where: { path.pathNames(beneath: $0) != nil || $0.pathNames(beneath: path) != nil })
        else {
            throw DomainError(
                "\(path) cannot be imported: it is not a directory of the user outside of Purvey's own directories")
        }
        _ = try await add(domain, of: provider)
        let (_, running) = try await first(domain.identifier, of: [provider])
        try await running.engine.run { try $0.directoryImport.begin(at: path, $0) }
        return Empty()
    }

    private func add(_ domain: ManagedDomain, of provider: String) async throws -> Empty {
        try Self.check(domain)
        let own = try await records(of: [provider])
        if var known = own.first(where: { $0.description.identifier == domain.identifier }) {
            guard known.providerDomain.documentFolder == domain.documentFolder else {
                throw DomainError("the documents of a domain stay where they are; remove it, and add it again")
            }
            known.managed = domain
            try await update(known)
            return Empty()
        }
        let folder = domain.documentFolder
        for other in own.map(\.providerDomain.documentFolder)
        where other.pathNames(beneath: folder) != nil || folder.pathNames(beneath: other) != nil {
            throw DomainError("another domain has its documents in \(other)")
        }
        let path = domain.handedPath.map { [DomainSetting(key: DomainSetting.path, value: $0)] } ?? []
        let record = DomainRecord(
            name: freeName(like: domain.displayName), identifier: UUID().uuidString, provider: provider,
            settings: path, managed: domain)
        _ = try await add(record) { record }
        return Empty()
    }

    private static func check(_ domain: ManagedDomain) throws {
        guard NSFileProviderDomain.isValid(NSFileProviderDomainIdentifier(rawValue: domain.identifier)),
            domain.displayName.utf8.count <= 1000, domain.storage.utf8.count <= 1000,
            domain.userInfo.map({ $0.count <= ManagedDomain.longestUserInfo }) ?? true
        else { throw DomainError("the domain's identifier, name, folder or userInfo cannot be used") }
        let parts = domain.storage.pathNames
        guard !parts.contains(where: { $0 == ".." || $0 == "." || $0.utf8.contains(0) }) else {
            throw DomainError("\(domain.storage) is not a folder within the provider's document storage")
        }
    }

    /// Returns an unused name for a domain, derived from the given display name. The display name itself may be invalid
    /// as a directory's name.
    private func freeName(like text: String) -> String {
        var name = String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    let isBad = scalar == "/" || scalar == ":" || scalar.properties.generalCategory == .control
                    return isBad ? "-" : scalar
                }.drop { $0 == "." || $0 == " " }))
        while name.utf8.count > 180 { name.removeLast() }
        if name.isEmpty { name = "Files" }
        guard places[name] != nil else { return name }
        var number = 2
        while places["\(name) \(number)"] != nil { number += 1 }
        return "\(name) \(number)"
    }

    /// Removes a domain of the given providers, or all of their domains if `identifier` is `nil`. Edits that were not
    /// uploaded are saved to a directory.
    ///
    /// - Returns: The directory of the saved edits, or `nil` if there were none. If several domains had edits, it is
    ///   the directory of the last domain.
    private func remove(_ identifier: String?, of providers: [String]) async throws -> String? {
        let records = try await records(of: providers).filter { record in
            identifier.map { record.description.identifier == $0 } ?? true
        }
        if identifier != nil, records.isEmpty {
            throw ProviderError.domain(.providerDomainNotFound, "The provider has no such domain.")
        }
        var edits: String?
        for record in records {
            // The edits are saved even if the program did not request it, because they must not be lost.
            edits = try await remove(RemoveDomainCall(name: record.name, keepsEdits: true)).edits ?? edits
        }
        return edits
    }
}

extension ManagedDomain {
    /// The directory of the domain's documents, relative to the provider's document storage.
    fileprivate var documentFolder: String {
        ProviderDomain(
            identifier: identifier, displayName: displayName, storage: storage.isEmpty ? nil : storage
        ).documentFolder
    }

    /// The path of the directory that the program hands to the domain.
    fileprivate var handedPath: String? {
        userInfo.flatMap { ForeignPropertyList.dictionary(Data($0)) }?["path"] as? String
    }
}

extension ProviderError {
    /// Returns a failure that the provider's own program receives as an `NSFileProviderError`.
    static func domain(_ code: NSFileProviderError.Code, _ message: String) -> ProviderError {
        ProviderError(NSFileProviderError(code, userInfo: [NSLocalizedDescriptionKey: message]))
    }
}

extension ServedCall {
    /// Replies with the result of a task, or its failure. The task is cancelled when the caller cancels the call.
    func answerProvider<Value>(_ body: @escaping @Sendable () async throws -> Value)
    where C.Reply == ProviderReply<Value> {
        let task = Task {
            do {
                reply(.done(try await body()))
            } catch let failure as DomainError {
                reply(.failed(failure.cause ?? .domain(failure.providerCode, failure.description)))
            } catch {
                reply(.failed(ProviderError(error)))
            }
        }
        onCancel { task.cancel() }
    }
}

extension DomainError {
    fileprivate var providerCode: NSFileProviderError.Code {
        switch code {
        case .noSuchDomain: .providerDomainNotFound
        case .noSuchItem: .noSuchItem
        case .signInRefused: .notAuthenticated
        case .kept: .nonEvictable
        case .failed, .cancelled, .hasEdits, .noSuchAction: .cannotSynchronize
        }
    }
}

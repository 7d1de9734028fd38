import Conduit
import Foundation
import LinuxSystem

extension BeginProviderCall {
    /// The domain that it is for; `nil` for the default one.
    package var managedDomain: NSFileProviderDomain? {
        guard !domain.isEmpty else { return nil }
        return filled(
            NSFileProviderDomain(
                identifier: NSFileProviderDomainIdentifier(rawValue: domain), displayName: displayName,
                pathRelativeToDocumentStorage: domainFolder))
    }

    /// The same, of a provider whose files the system keeps.
    var replicatedDomain: NSFileProviderDomain? {
        guard !domain.isEmpty else { return nil }
        return filled(
            NSFileProviderDomain(
                identifier: NSFileProviderDomainIdentifier(rawValue: domain), displayName: displayName))
    }

    private func filled(_ managed: NSFileProviderDomain) -> NSFileProviderDomain {
        managed.take(userInfo: userInfo)
        // What a program says that was handed over counts for nothing.
        if path != nil || managed.userInfo?["path"] != nil {
            var userInfo = managed.userInfo ?? [:]
            userInfo["path"] = path
            managed.userInfo = userInfo
        }
        return managed
    }

    /// Has the managers of this process, which is an extension's, know where it is.
    package func install(on connection: Connection) { install(on: connection, managedDomain) }

    func install(on connection: Connection, _ domain: NSFileProviderDomain?) {
        NSFileProviderManager.install(ExtensionBackend(self, domain, connection))
    }
}

/// Whom the managers of an extension's process ask: the engine that has started it.
private struct ExtensionBackend: EngineBackend {
    private let request: BeginProviderCall
    private let domain: NSFileProviderDomain?
    private let connection: Connection

    init(_ request: BeginProviderCall, _ domain: NSFileProviderDomain?, _ connection: Connection) {
        self.request = request
        self.domain = domain
        self.connection = connection
    }

    var providerIdentifier: String { request.bundleIdentifier }

    func documentStorage() -> URL { URL(fileURLWithPath: request.storage, isDirectory: true) }

    func folderWatcher() throws(Errno) -> any FolderWatcher { try HostFolderWatcher(connection) }

    func temporaryFolder(of domain: NSFileProviderDomainIdentifier?) throws -> URL {
        URL(fileURLWithPath: request.temporary, isDirectory: true)
    }

    func stateFolder(of domain: NSFileProviderDomainIdentifier?) throws -> URL {
        guard domain == self.domain?.identifier else { throw NSFileProviderError(.providerDomainNotFound) }
        guard let state = request.state else { throw CocoaError(.featureUnsupported) }
        let url = URL(fileURLWithPath: state, isDirectory: true)
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return url
    }

    /// The process knows of its own domain only: what happens to others is up to the program that the extension belongs to.
    func domains(_ completion: @escaping @Sendable ([NSFileProviderDomain], (any Error)?) -> Void) {
        completion(domain.map { [$0] } ?? [], nil)
    }

    func add(_ domain: NSFileProviderDomain, _ completion: @escaping Completion) {
        completion(CocoaError(.featureUnsupported))
    }

    func remove(
        _ domain: NSFileProviderDomainIdentifier, mode: NSFileProviderManager.DomainRemovalMode,
        _ completion: @escaping @Sendable (URL?, (any Error)?) -> Void
    ) {
        completion(nil, CocoaError(.featureUnsupported))
    }

    func removeAll(_ completion: @escaping Completion) { completion(CocoaError(.featureUnsupported)) }

    func signalEnumerator(
        _ container: NSFileProviderItemIdentifier, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping Completion
    ) {
        tell(ProviderSignalNotice(container: container.rawValue), of: domain, completion)
    }

    func signalErrorResolved(
        _ failure: ProviderFailure, in domain: NSFileProviderDomainIdentifier?, _ completion: @escaping Completion
    ) {
        tell(ProviderResolvedNotice(failure: failure), of: domain, completion)
    }

    func noteUpload(
        of item: NSFileProviderItemIdentifier, sent: Int64, total: Int64, in domain: NSFileProviderDomainIdentifier?
    ) {
        tell(
            ProviderProgressNotice(identifier: item.rawValue, completed: Int(sent), total: Int(total)), of: domain
        ) { _ in }
    }

    /// Asks the engine for what is the asking domain's; the extension has no business with others.
    func ask<C: ProviderCall>(
        _ request: C, of domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping @Sendable (Result<C.Value, any Error>) -> Void
    ) {
        guard domain == self.domain?.identifier else {
            return completion(.failure(NSFileProviderError(.providerDomainNotFound)))
        }
        connection.call(request) { result in
            switch result {
            case .success(let reply):
                completion(Result { try reply.get() }.mapError { ($0 as? ProviderFailure)?.error ?? $0 })
            case .failure: completion(.failure(NSFileProviderError(.providerDomainTemporarilyUnavailable)))
            }
        }
    }

    private func tell(
        _ notice: some Notice, of domain: NSFileProviderDomainIdentifier?, _ completion: Completion
    ) {
        guard domain == self.domain?.identifier else {
            return completion(NSFileProviderError(.providerDomainNotFound))
        }
        do throws(ConduitError) {
            try connection.notify(notice)
            completion(nil)
        } catch {
            completion(NSFileProviderError(.providerDomainTemporarilyUnavailable))
        }
    }
}

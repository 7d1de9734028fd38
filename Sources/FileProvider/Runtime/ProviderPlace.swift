import Conduit
import DomainMessages
import FileProviderWire
import Foundation
import LinuxSystem

extension BeginProviderCall {
    /// The domain that the provider serves; `nil` for the default domain.
    package var managedDomain: NSFileProviderDomain? {
        guard !domain.isEmpty else { return nil }
        return filled(
            NSFileProviderDomain(
                identifier: NSFileProviderDomainIdentifier(rawValue: domain), displayName: displayName,
                pathRelativeToDocumentStorage: domainFolder))
    }

    /// The domain of a replicated provider: a domain without a directory in the document storage.
    var replicatedDomain: NSFileProviderDomain? {
        guard !domain.isEmpty else { return nil }
        return filled(
            NSFileProviderDomain(
                identifier: NSFileProviderDomainIdentifier(rawValue: domain), displayName: displayName))
    }

    private func filled(_ managed: NSFileProviderDomain) -> NSFileProviderDomain {
        managed.take(userInfo: userInfo)
        // `path` is the directory to which the daemon gave the extension access. A path that a program put into
        // `userInfo` is dropped.
        if path != nil || managed.userInfo?["path"] != nil {
            var userInfo = managed.userInfo ?? [:]
            userInfo["path"] = path
            managed.userInfo = userInfo
        }
        return managed
    }

    /// Installs the backend of an extension's process: all managers of the process send their requests to the engine
    /// that started the process.
    package func install(on connection: Connection) { install(on: connection, managedDomain) }

    func install(on connection: Connection, _ domain: NSFileProviderDomain?) {
        NSFileProviderManager.install(ExtensionBackend(self, domain, connection))
    }
}

/// A backend for the managers of an extension's process. It sends requests to the engine that started the process.
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

    func domains(_ completion: @escaping @Sendable ([NSFileProviderDomain], (any Error)?) -> Void) {
        let own = domain
        ask(ManagedDomainsCall(), of: own?.identifier) { result in
            switch result {
            case .success(let value):
                // The extension's own object has more information: the directory to which the extension has access.
                completion(
                    value.domains.map { told in
                        let domain = NSFileProviderDomain(told)
                        return domain.identifier == own?.identifier ? own ?? domain : domain
                    }, nil)
            // A user interface extension cannot send requests to the engine. It knows only its own domain.
            case .failure: completion(own.map { [$0] } ?? [], nil)
            }
        }
    }

    // Only the program that contains the extension may add, remove and disconnect domains. An extension that
    // disconnected its domain would receive no more requests, and could not connect the domain again.

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

    func setDisconnected(
        _ reason: String?, isTemporary: Bool, domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping Completion
    ) { completion(CocoaError(.featureUnsupported)) }

    func userVisibleURL(
        of item: NSFileProviderItemIdentifier, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping @Sendable (URL?, (any Error)?) -> Void
    ) {
        ask(VisiblePathCall(domain: domain?.rawValue, item: item.rawValue), of: domain) { result in
            switch result {
            case .success(let value): completion(URL(fileURLWithPath: value.path, isDirectory: value.isFolder), nil)
            case .failure(let error): completion(nil, error)
            }
        }
    }

    func identifier(
        ofFileAt url: URL,
        _ completion:
            @escaping @Sendable (
                NSFileProviderItemIdentifier?, NSFileProviderDomainIdentifier?, (any Error)?
            ) -> Void
    ) {
        guard url.isFileURL else { return completion(nil, nil, CocoaError(.fileNoSuchFile)) }
        ask(VisibleItemCall(path: url.standardizedFileURL.path), of: domain?.identifier) { result in
            switch result {
            case .success(let value):
                completion(
                    NSFileProviderItemIdentifier(value.item), NSFileProviderDomainIdentifier(rawValue: value.domain),
                    nil)
            case .failure(let error):
                // Apple documents this error for files that do not belong to the provider.
                let isNone = (error as? NSFileProviderError)?.code == .noSuchItem
                completion(nil, nil, isNone ? CocoaError(.fileNoSuchFile) : error)
            }
        }
    }

    func signalEnumerator(
        _ container: NSFileProviderItemIdentifier, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping Completion
    ) {
        tell(ProviderSignalNotice(container: container.rawValue), of: domain, completion)
    }

    func signalErrorResolved(
        _ failure: ProviderError, in domain: NSFileProviderDomainIdentifier?, _ completion: @escaping Completion
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

    /// Sends a request to the engine. Fails for any domain except the extension's own.
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
                completion(Result { try reply.get() }.mapError { ($0 as? ProviderError)?.error ?? $0 })
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

import DomainMessages
import FileProviderWire
import Foundation
import ItemValues

/// A manager's backend that sends requests over a connection. In a program, the connection leads to the daemon. In an
/// extension, it leads to the engine of the extension's domain. Programs and extensions use the same requests about
/// items.
protocol EngineBackend: ManagerBackend {
    /// Sends a request.
    ///
    /// - Parameters:
    ///   - domain: the domain that the request is about; `nil` for the default domain.
    ///   - completion: called once, on any thread. A failure is an error that programs may see, such as an
    ///     ``NSFileProviderError``.
    func ask<C: ProviderCall>(
        _ request: C, of domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping @Sendable (Result<C.Value, any Error>) -> Void)

    /// Requests the version of an item set. If the request has a known version, the reply comes when the set has
    /// changed. Such a request does not start a daemon, because no program waits for its reply.
    func watch(
        _ request: ManagerSetVersionCall, of domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping @Sendable (Result<ItemSetVersion, any Error>) -> Void)
}

extension EngineBackend {
    /// Sends a request whose only result is success or failure.
    func perform<C: ProviderCall>(
        _ request: C, of domain: NSFileProviderDomainIdentifier?, _ completion: @escaping Completion
    ) {
        ask(request, of: domain) { result in
            switch result {
            case .success: completion(nil)
            case .failure(let error): completion(error)
            }
        }
    }

    func watch(
        _ request: ManagerSetVersionCall, of domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping @Sendable (Result<ItemSetVersion, any Error>) -> Void
    ) { ask(request, of: domain, completion) }

    // MARK: Items

    func requestDownload(
        of item: NSFileProviderItemIdentifier, range: NSRange?, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping Completion
    ) { perform(ManagerTransferCall(domain: domain?.rawValue, item: item.rawValue, .here), of: domain, completion) }

    func evict(
        _ item: NSFileProviderItemIdentifier, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping Completion
    ) { perform(ManagerTransferCall(domain: domain?.rawValue, item: item.rawValue, .away), of: domain, completion) }

    func requestModification(
        of fields: NSFileProviderItemFields, of item: NSFileProviderItemIdentifier,
        in domain: NSFileProviderDomainIdentifier?, _ completion: @escaping Completion
    ) {
        let request = ManagerModificationCall(
            domain: domain?.rawValue, item: item.rawValue, fields: UInt64(fields.rawValue))
        perform(request, of: domain, completion)
    }

    func reimport(
        below item: NSFileProviderItemIdentifier, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping Completion
    ) { perform(ManagerReimportCall(domain: domain?.rawValue, item: item.rawValue), of: domain, completion) }

    func waitForChanges(
        below item: NSFileProviderItemIdentifier, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping Completion
    ) {
        settle(item, in: domain, completion)
    }

    func waitForStabilization(in domain: NSFileProviderDomainIdentifier?, _ completion: @escaping Completion) {
        settle(nil, in: domain, completion)
    }

    private func settle(
        _ item: NSFileProviderItemIdentifier?, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping Completion
    ) {
        let change = CurrentChange.identifier
        let request = ManagerSettleCall(
            domain: domain?.rawValue, item: item?.rawValue, inside: change,
            serving: change == nil ? CurrentChange.all : [])
        perform(request, of: domain, settled(completion))
    }

    /// Returns a completion handler that wraps failures in a `cannotSynchronize` error, as Apple's documentation
    /// describes. The failure becomes the underlying error. Only `providerDomainNotFound` is not wrapped.
    private func settled(_ completion: @escaping Completion) -> Completion {
        { error in
            guard let error, (error as? NSFileProviderError)?.code != .providerDomainNotFound else {
                return completion(error)
            }
            completion(
                NSFileProviderError(
                    .cannotSynchronize,
                    userInfo: [
                        NSUnderlyingErrorKey: error, NSLocalizedDescriptionKey: error.localizedDescription,
                    ]))
        }
    }

    // MARK: Sets

    func transfers(
        isUpload: Bool, in domain: NSFileProviderDomainIdentifier?,
        _ completion: @escaping @Sendable (Result<TransferTotals, any Error>) -> Void
    ) { ask(ManagerProgressCall(domain: domain?.rawValue, isUpload: isUpload), of: domain, completion) }

    func items(
        in set: ItemSet, of domain: NSFileProviderDomainIdentifier?, after position: Int64?, limit: Int,
        _ completion: @escaping @Sendable (Result<ItemSetPage, any Error>) -> Void
    ) {
        let request = ManagerSetCall(domain: domain?.rawValue, set: set, position: position, limit: limit)
        ask(request, of: domain, completion)
    }

    func version(
        of set: ItemSet, in domain: NSFileProviderDomainIdentifier?, known: UInt64?,
        _ completion: @escaping @Sendable (Result<UInt64, any Error>) -> Void
    ) {
        watch(ManagerSetVersionCall(domain: domain?.rawValue, set: set, known: known), of: domain) { result in
            completion(result.map(\.version))
        }
    }
}

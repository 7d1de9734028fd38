import Foundation

/// A request of the engine, in the form in which the provider sees it. The engine does not disclose which program
/// caused it.
final class ServedRequest: NSFileProviderRequest {
    private let version: NSFileProviderDomainVersion?

    /// Creates a request.
    ///
    /// - Parameter provider: the provider's own object, which may have a version of its domain.
    init(to provider: any NSObjectProtocol) {
        version = (provider as? any NSFileProviderDomainState)?.domainVersion
        super.init()
    }

    override var isSystemRequest: Bool { true }
    override var domainVersion: NSFileProviderDomainVersion? { version }
}

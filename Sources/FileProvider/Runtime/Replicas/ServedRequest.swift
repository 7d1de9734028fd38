import Foundation

/// A request of the engine as the provider sees it. The engine does not say which program caused it.
final class ServedRequest: NSFileProviderRequest {
    private let version: NSFileProviderDomainVersion?

    /// Creates a request.
    ///
    /// - Parameter version: the domain version, from the provider's own object.
    init(domainVersion version: NSFileProviderDomainVersion?) {
        self.version = version
        super.init()
    }

    override var isSystemRequest: Bool { true }
    override var domainVersion: NSFileProviderDomainVersion? { version }
}

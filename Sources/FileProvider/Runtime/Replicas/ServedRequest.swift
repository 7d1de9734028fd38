import Foundation

/// A question of the engine's, as the provider is told of it: which program is behind it, if any is, the engine does not say.
final class ServedRequest: NSFileProviderRequest {
    private let version: NSFileProviderDomainVersion?

    /// - Parameter version: as the provider's own object has it.
    init(domainVersion version: NSFileProviderDomainVersion?) {
        self.version = version
        super.init()
    }

    override var isSystemRequest: Bool { true }
    override var domainVersion: NSFileProviderDomainVersion? { version }
}

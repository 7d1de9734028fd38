import Conduit
import FileProviderWire
import ItemValues

/// The provider's state of its whole domain.
extension ProviderRuntime {
    func addState(to service: inout Service) {
        on(ProviderStateCall.self, key: { _ in nil }, in: &service) { _, provider, _ throws(ProviderError) in
            guard let object = provider.object as? any NSFileProviderDomainState else {
                throw ProviderError(.unsupported, message: "the provider says nothing of its domain")
            }
            // The version is read before the user info. A change in between then comes with the next version, and is
            // not missed.
            let version = object.domainVersion.number
            return ProviderDomainState(version: version, userInfo: ProviderItem.userInfo(object.userInfo))
        }
    }
}

import Conduit
import FileProviderWire

/// Sign-in with a password.
extension ProviderRuntime {
    func addSigningIn(to service: inout Service) {
        on(ProviderSignInCall.self, key: { _ in "sign in" }, in: &service) {
            request, provider, engineRequest throws(ProviderError) in
            guard let object = provider.object as? any FileProviderSigningIn else {
                throw ProviderError(.unsupported, message: "the provider takes no password")
            }
            let failure: ProviderError? = try engineRequest.wait { done in
                object.signIn(withPassword: request.password) { error in done(error.map { ProviderError($0) }) }
            }
            if let failure { throw failure }
            return Empty()
        }
    }
}

import Conduit
import FileProviderWire

/// Custom actions of the provider.
extension ProviderRuntime {
    func addActions(to service: inout Service) {
        on(ProviderActionCall.self, .transfer, key: { _ in nil }, in: &service) {
            request, provider, engineRequest throws(ProviderError) in
            guard let object = provider.object as? any NSFileProviderCustomAction else {
                throw ProviderError(.unsupported, message: "the provider performs no actions")
            }
            let running = StoppableProgress()
            // Stops the provider if the request ended early. Does nothing after the action has ended.
            defer { running.cancel() }
            running.watch { engineRequest.advance(completed: $0, total: 1000) }
            let failure: ProviderError? = try engineRequest.wait { done in
                running.begin(
                    object.performAction(
                        identifier: NSFileProviderExtensionActionIdentifier(request.action),
                        onItemsWithIdentifiers: request.identifiers.map { NSFileProviderItemIdentifier($0) }
                    ) { error in
                        running.end()
                        done(error.map { ProviderError($0) })
                    })
            }
            if let failure { throw failure }
            return Empty()
        }
    }
}

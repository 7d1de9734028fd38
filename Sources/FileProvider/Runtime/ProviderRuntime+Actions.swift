import Conduit

/// Custom actions of the provider.
extension ProviderRuntime {
    func addActions(to service: inout Service) {
        on(ProviderActionCall.self, .transfer, key: { _ in nil }, in: &service) {
            request, provider, question throws(ProviderFailure) in
            guard let object = provider.object as? any NSFileProviderCustomAction else {
                throw ProviderFailure(.unsupported, message: "the provider performs no actions")
            }
            let running = StoppableProgress()
            // Stops the provider if the request ended early. Does nothing after the action has ended.
            defer { running.cancel() }
            running.watch { question.advance(completed: $0, total: 1000) }
            let failure: ProviderFailure? = try question.wait { done in
                running.begin(
                    object.performAction(
                        identifier: NSFileProviderExtensionActionIdentifier(request.action),
                        onItemsWithIdentifiers: request.identifiers.map { NSFileProviderItemIdentifier($0) }
                    ) { error in
                        running.end()
                        done(error.map { ProviderFailure($0) })
                    })
            }
            if let failure { throw failure }
            return Empty()
        }
    }
}

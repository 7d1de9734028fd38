import Conduit
import FileProviderWire
import Foundation

/// Custom actions of the provider, and the suppression of its interactions with the user.
extension ProviderRuntime {
    func addActions(to service: inout Service) {
        on(ProviderActionCall.self, .transfer, key: { _ in nil }, in: &service) {
            request, provider, engineRequest throws(ProviderError) in
            guard let perform = Self.performer(of: provider.object, for: request) else {
                throw ProviderError(.unsupported, message: "the provider performs no actions")
            }
            let running = StoppableProgress()
            // Cancels the action if the request ended before the action. Does nothing after the action has ended.
            defer { running.cancel() }
            running.watch { engineRequest.advance(completed: $0, total: 1000) }
            let result: Result<ProviderActionReply, ProviderError> = try engineRequest.wait { done in
                running.begin(
                    perform { reply, error in
                        running.end()
                        done(error.map { .failure(ProviderError($0)) } ?? .success(reply?.message ?? .init()))
                    })
            }
            return try result.get()
        }
        // All these requests have the same key and run one after the other, so that a request for the state returns the
        // result of an earlier change.
        on(ProviderSuppressionCall.self, key: { _ in "suppression" }, in: &service) {
            request, provider, _ throws(ProviderError) in
            guard let object = provider.object as? any NSFileProviderUserInteractionSuppressing else {
                throw ProviderError(.unsupported, message: "the provider's alerts cannot be suppressed")
            }
            if let change = request.change {
                object.setInteractionSuppressed(change, forIdentifier: request.identifier)
            }
            return ProviderSuppression(isSuppressed: object.isInteractionSuppressed(forIdentifier: request.identifier))
        }
    }

    /// Returns a function that performs the requested action; `nil` if the provider performs no actions.
    private static func performer(
        of object: AnyObject, for request: ProviderActionCall
    ) -> ((@escaping (FileProviderActionReply?, (any Error)?) -> Void) -> Progress)? {
        let action = NSFileProviderExtensionActionIdentifier(request.action)
        let items = request.identifiers.map { NSFileProviderItemIdentifier($0) }
        if let object = object as? any FileProviderReplyingAction {
            return { done in
                object.performAction(
                    identifier: action, onItemsWithIdentifiers: items, input: request.input, completionHandler: done)
            }
        }
        guard let object = object as? any NSFileProviderCustomAction else { return nil }
        return { done in
            object.performAction(identifier: action, onItemsWithIdentifiers: items) { done(nil, $0) }
        }
    }
}

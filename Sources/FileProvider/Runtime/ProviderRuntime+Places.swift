import Conduit
import Foundation
import LinuxSystem

/// Renaming, moving and removing.
extension ProviderRuntime {
    func addPlaces(to service: inout Service) {
        on(ProviderMoveCall.self, key: \.identifier, in: &service) {
            request, provider, question throws(ProviderFailure) in
            try Self.move(request, provider, question)
        }
        on(ProviderDeleteCall.self, key: \.identifier, in: &service) {
            request, provider, question throws(ProviderFailure) in
            try Self.delete(request, provider, question)
        }
    }

    /// The engine repeats a move whose answer it did not get: what is where it is to be stays.
    private static func move(
        _ request: ProviderMoveCall, _ provider: ProviderObject, _ question: Question
    ) throws(ProviderFailure) -> ProviderItem {
        let identifier = NSFileProviderItemIdentifier(request.identifier)
        let now = try provider.item(request.identifier)
        if now.parent == request.parent, now.filename == request.name { return now }
        let result: Result<ProviderItem, ProviderFailure> = try question.wait { done in
            if now.parent == request.parent {
                provider.object.renameItem(withIdentifier: identifier, toName: request.name) { item, error in
                    done(.of(item, error))
                }
            } else {
                let name = now.filename == request.name ? nil : request.name
                provider.object.reparentItem(
                    withIdentifier: identifier,
                    toParentItemWithIdentifier: NSFileProviderItemIdentifier(request.parent), newName: name
                ) { item, error in
                    done(.of(item, error))
                }
            }
        }
        ProviderStep.moved.reach()
        return try result.get()
    }

    private static func delete(
        _ request: ProviderDeleteCall, _ provider: ProviderObject, _ question: Question
    ) throws(ProviderFailure) -> Empty {
        let failure: ProviderFailure? = try question.wait { done in
            provider.object.deleteItem(withIdentifier: NSFileProviderItemIdentifier(request.identifier)) { error in
                done(error.map { ProviderFailure($0) })
            }
        }
        ProviderStep.deleted.reach()
        // Gone is gone, whoever removed it.
        if let failure, failure.kind != .noSuchItem { throw failure }
        return Empty()
    }
}

extension Result<ProviderItem, ProviderFailure> {
    /// What a provider's handler is called with.
    static func of(_ item: (any NSFileProviderItem)?, _ error: (any Error)?) -> Self {
        if let error { return .failure(ProviderFailure(error)) }
        guard let item else {
            return .failure(
                ProviderFailure(.badAnswer, message: "the provider answered with neither an item nor an error"))
        }
        return .success(ProviderItem(item))
    }
}

import Conduit
import Foundation
import LinuxSystem

/// Into the trash and out of it.
extension ProviderRuntime {
    func addTrash(to service: inout Service) {
        on(ProviderTrashCall.self, key: \.identifier, in: &service) {
            request, provider, question throws(ProviderFailure) in
            try Self.trash(request, provider, question)
        }
        on(ProviderUntrashCall.self, key: \.identifier, in: &service) {
            request, provider, question throws(ProviderFailure) in
            try Self.untrash(request, provider, question)
        }
    }

    /// The engine repeats what it got no answer to: what is in the trash stays there.
    private static func trash(
        _ request: ProviderTrashCall, _ provider: ProviderObject, _ question: Question
    ) throws(ProviderFailure) -> ProviderItem {
        let now = try provider.item(request.identifier)
        if now.flags.contains(.trashed) { return now }
        let result: Result<ProviderItem, ProviderFailure> = try question.wait { done in
            provider.object.trashItem(withIdentifier: NSFileProviderItemIdentifier(request.identifier)) {
                done(.of($0, $1))
            }
        }
        return try result.get()
    }

    private static func untrash(
        _ request: ProviderUntrashCall, _ provider: ProviderObject, _ question: Question
    ) throws(ProviderFailure) -> ProviderItem {
        let result: Result<ProviderItem, ProviderFailure> = try question.wait { done in
            provider.object.untrashItem(
                withIdentifier: NSFileProviderItemIdentifier(request.identifier),
                toParentItemIdentifier: request.parent.map { NSFileProviderItemIdentifier($0) }
            ) { done(.of($0, $1)) }
        }
        return try result.get()
    }
}

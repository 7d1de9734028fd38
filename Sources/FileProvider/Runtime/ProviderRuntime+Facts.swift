import Conduit
import Foundation
import LinuxSystem

/// What a person's use leaves behind of items.
extension ProviderRuntime {
    func addFacts(to service: inout Service) {
        on(ProviderFactCall.self, key: \.identifier, in: &service) {
            request, provider, question throws(ProviderFailure) in
            try Self.set(request, provider, question)
        }
    }

    private static func set(
        _ request: ProviderFactCall, _ provider: ProviderObject, _ question: Question
    ) throws(ProviderFailure) -> ProviderItem {
        let identifier = NSFileProviderItemIdentifier(request.identifier)
        let object = provider.object
        let result: Result<ProviderItem, ProviderFailure> = try question.wait { done in
            switch request.fact {
            case .lastUsed(let time):
                object.setLastUsedDate(time.map { Date(timeIntervalSince1970: $0) }, forItemIdentifier: identifier) {
                    done(.of($0, $1))
                }
            case .tagData(let data):
                object.setTagData(data.map { Data($0) }, forItemIdentifier: identifier) { done(.of($0, $1)) }
            case .favoriteRank(let rank):
                object.setFavoriteRank(rank.map { NSNumber(value: $0) }, forItemIdentifier: identifier) {
                    done(.of($0, $1))
                }
            }
        }
        return try result.get()
    }
}

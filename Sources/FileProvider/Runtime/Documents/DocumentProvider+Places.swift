import FileProviderWire
import Foundation
import ItemValues
import LinuxSystem

/// Renaming, moving and removing items, the trash, and user metadata.
extension DocumentProvider {
    func move(_ request: ProviderMoveCall, _ engineRequest: EngineRequest) throws(ProviderError) -> ProviderItem {
        let identifier = NSFileProviderItemIdentifier(request.identifier)
        let now = try item(request.identifier, engineRequest)
        let isNamedSo = now.filename.hasSameBytes(as: request.name)
        let isInPlace = now.parent.hasSameBytes(as: request.parent)
        if isInPlace, isNamedSo { return now }
        let result: Result<ProviderItem, ProviderError> = try engineRequest.wait { done in
            if isInPlace {
                document.renameItem(withIdentifier: identifier, toName: request.name) { item, error in
                    done(.of(item, error))
                }
            } else {
                document.reparentItem(
                    withIdentifier: identifier,
                    toParentItemWithIdentifier: NSFileProviderItemIdentifier(request.parent),
                    newName: isNamedSo ? nil : request.name
                ) { item, error in
                    done(.of(item, error))
                }
            }
        }
        ProviderStep.moved.reach()
        return try result.get()
    }

    func delete(_ identifier: String, _ engineRequest: EngineRequest) throws(ProviderError) {
        let failure: ProviderError? = try engineRequest.wait { done in
            document.deleteItem(withIdentifier: NSFileProviderItemIdentifier(identifier)) { error in
                done(error.map { ProviderError($0) })
            }
        }
        ProviderStep.deleted.reach()
        if let failure { throw failure }
    }

    func trash(_ identifier: String, _ engineRequest: EngineRequest) throws(ProviderError) -> ProviderItem {
        let now = try item(identifier, engineRequest)
        if now.flags.contains(.trashed) { return now }
        let result: Result<ProviderItem, ProviderError> = try engineRequest.wait { done in
            document.trashItem(withIdentifier: NSFileProviderItemIdentifier(identifier)) { done(.of($0, $1)) }
        }
        return try result.get()
    }

    func untrash(_ request: ProviderUntrashCall, _ engineRequest: EngineRequest) throws(ProviderError) -> ProviderItem {
        let result: Result<ProviderItem, ProviderError> = try engineRequest.wait { done in
            document.untrashItem(
                withIdentifier: NSFileProviderItemIdentifier(request.identifier),
                toParentItemIdentifier: request.parent.map { NSFileProviderItemIdentifier($0) }
            ) { done(.of($0, $1)) }
        }
        return try result.get()
    }

    func set(_ metadataChange: UserMetadataChange, of identifier: String, _ engineRequest: EngineRequest)
        throws(ProviderError) -> ProviderItem
    {
        let identifier = NSFileProviderItemIdentifier(identifier)
        let result: Result<ProviderItem, ProviderError> = try engineRequest.wait { done in
            switch metadataChange {
            case .lastUsed(let time):
                document.setLastUsedDate(time.map { Date(timeIntervalSince1970: $0) }, forItemIdentifier: identifier) {
                    done(.of($0, $1))
                }
            case .tagData(let data):
                document.setTagData(data.map { Data($0) }, forItemIdentifier: identifier) { done(.of($0, $1)) }
            case .favoriteRank(let rank):
                document.setFavoriteRank(rank.map { NSNumber(value: $0) }, forItemIdentifier: identifier) {
                    done(.of($0, $1))
                }
            case .attributes:
                done(.failure(ProviderError(.unsupported, message: "the provider has no call for attributes")))
            }
        }
        return try result.get()
    }
}

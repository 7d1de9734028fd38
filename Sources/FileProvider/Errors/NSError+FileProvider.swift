import Foundation

extension NSError {
    /// Returns the error for creating, renaming or moving an item to a name that is taken by another item.
    public class func fileProviderErrorForCollision(with existingItem: any NSFileProviderItem) -> NSError {
        NSFileProviderError(
            .filenameCollision,
            userInfo: [
                NSFileProviderErrorItemKey: existingItem, NSFileProviderErrorCollidingItemKey: existingItem,
            ]
        )._nsError
    }

    /// Returns the error for a request for an item that the provider does not have.
    public class func fileProviderErrorForNonExistentItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier
    ) -> NSError {
        NSFileProviderError(
            .noSuchItem, userInfo: [NSFileProviderErrorNonExistentItemIdentifierKey: itemIdentifier]
        )._nsError
    }

    /// Returns the error for a removal that the provider refuses.
    ///
    /// - Parameter updatedVersion: the item, which stays.
    public class func fileProviderErrorForRejectedDeletion(of updatedVersion: any NSFileProviderItem) -> NSError {
        NSFileProviderError(.deletionRejected, userInfo: [NSFileProviderErrorItemKey: updatedVersion])._nsError
    }
}

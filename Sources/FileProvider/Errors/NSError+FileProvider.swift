import Foundation

extension NSError {
    /// The error of a provider that is to make, rename or move an item, and finds that another has the name.
    public class func fileProviderErrorForCollision(with existingItem: any NSFileProviderItem) -> NSError {
        NSFileProviderError(
            .filenameCollision,
            userInfo: [
                NSFileProviderErrorItemKey: existingItem, NSFileProviderErrorCollidingItemKey: existingItem,
            ]
        )._nsError
    }

    /// The error of a provider that is asked for an item which it does not have.
    public class func fileProviderErrorForNonExistentItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier
    ) -> NSError {
        NSFileProviderError(
            .noSuchItem, userInfo: [NSFileProviderErrorNonExistentItemIdentifierKey: itemIdentifier]
        )._nsError
    }

    /// The error of a provider that is to remove an item and does not.
    ///
    /// - Parameter updatedVersion: the item as it stays.
    public class func fileProviderErrorForRejectedDeletion(of updatedVersion: any NSFileProviderItem) -> NSError {
        NSFileProviderError(.deletionRejected, userInfo: [NSFileProviderErrorItemKey: updatedVersion])._nsError
    }
}

import FileProvider
import Foundation

/// Steps of a synchronization, as the tests of a provider may use them.
enum TestStep {
    final class Item: NSObject, NSFileProviderItem {
        let itemIdentifier = NSFileProviderItemIdentifier("i")
        let parentItemIdentifier = NSFileProviderItemIdentifier.rootContainer
        let filename = "i.txt"
    }

    final class Ingestion: NSObject, NSFileProviderTestingIngestion {
        let type = NSFileProviderTestingOperationType.ingestion
        let side = NSFileProviderTestingOperationSide.disk
        let itemIdentifier = NSFileProviderItemIdentifier("i")
        let item: (any NSFileProviderItem)? = nil
    }

    final class Lookup: NSObject, NSFileProviderTestingLookup {
        let type = NSFileProviderTestingOperationType.lookup
        let side = NSFileProviderTestingOperationSide.disk
        let itemIdentifier = NSFileProviderItemIdentifier("i")
    }

    final class Creation: NSObject, NSFileProviderTestingCreation {
        let type = NSFileProviderTestingOperationType.creation
        let targetSide = NSFileProviderTestingOperationSide.fileProvider
        let sourceItem: any NSFileProviderItem = Item()
        let domainVersion: NSFileProviderDomainVersion? = nil
    }

    final class Modification: NSObject, NSFileProviderTestingModification {
        let type = NSFileProviderTestingOperationType.modification
        let targetSide = NSFileProviderTestingOperationSide.disk
        let sourceItem: any NSFileProviderItem = Item()
        let targetItemIdentifier = NSFileProviderItemIdentifier("i")
        let targetItemBaseVersion = NSFileProviderItemVersion(contentVersion: Data(), metadataVersion: Data())
        let changedFields = NSFileProviderItemFields.contents
        let domainVersion: NSFileProviderDomainVersion? = nil
    }

    final class Deletion: NSObject, NSFileProviderTestingDeletion {
        let type = NSFileProviderTestingOperationType.deletion
        let targetSide = NSFileProviderTestingOperationSide.disk
        let sourceItemIdentifier = NSFileProviderItemIdentifier("i")
        let targetItemIdentifier = NSFileProviderItemIdentifier("i")
        let targetItemBaseVersion = NSFileProviderItemVersion(contentVersion: Data(), metadataVersion: Data())
        let domainVersion: NSFileProviderDomainVersion? = nil
    }

    final class ContentFetch: NSObject, NSFileProviderTestingContentFetch {
        let type = NSFileProviderTestingOperationType.contentFetch
        let side = NSFileProviderTestingOperationSide.disk
        let itemIdentifier = NSFileProviderItemIdentifier("i")
    }

    final class ChildrenEnumeration: NSObject, NSFileProviderTestingChildrenEnumeration {
        let type = NSFileProviderTestingOperationType.childrenEnumeration
        let side = NSFileProviderTestingOperationSide.fileProvider
        let itemIdentifier = NSFileProviderItemIdentifier("i")
    }

    final class CollisionResolution: NSObject, NSFileProviderTestingCollisionResolution {
        let type = NSFileProviderTestingOperationType.collisionResolution
        let side = NSFileProviderTestingOperationSide.disk
        let renamedItem: any NSFileProviderItem = Item()
    }
}

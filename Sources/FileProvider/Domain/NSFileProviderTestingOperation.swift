import Foundation

// The steps that tests of a provider run on Apple's systems, with ``NSFileProviderDomain/TestingModes/interactive``.
// Linux has no such steps. The function that lists them fails, so no operation is ever created.

/// The kind of a testing operation.
///
/// Source: FileProvider, `NSFileProviderTesting.h`.
public enum NSFileProviderTestingOperationType: Int, Sendable {
    /// The ingestion of an item's state: one side reports that the item has changed, and the system records the change.
    case ingestion = 0
    /// The lookup of an item.
    case lookup = 1
    /// The creation of an item.
    case creation = 2
    /// The modification of an item.
    case modification = 3
    /// The deletion of an item.
    case deletion = 4
    /// The fetch of an item's contents.
    case contentFetch = 5
    /// The enumeration of a directory.
    case childrenEnumeration = 6
    /// The renaming of one of two items that have the same name.
    case collisionResolution = 7
}

/// The side of the synchronization, local or remote, on which a testing operation acts.
///
/// Source: FileProvider, `NSFileProviderTesting.h`.
public enum NSFileProviderTestingOperationSide: UInt, Sendable {
    /// The local side.
    case disk = 0
    /// The provider's side.
    case fileProvider = 1
}

/// A step of the synchronization that a test can run.
///
/// Source: FileProvider, `NSFileProviderTesting.h`.
public protocol NSFileProviderTestingOperation: NSObjectProtocol {
    /// The kind of step.
    var type: NSFileProviderTestingOperationType { get }
}

/// The ingestion of an item's state: one side reports that the item has changed, and the system records the change.
public protocol NSFileProviderTestingIngestion: NSFileProviderTestingOperation {
    /// The side that reports the item's state.
    var side: NSFileProviderTestingOperationSide { get }
    /// The identifier of the item.
    var itemIdentifier: NSFileProviderItemIdentifier { get }
    /// The item with its attributes; `nil` if it was removed.
    var item: (any NSFileProviderItem)? { get }
}

/// The lookup of an item.
public protocol NSFileProviderTestingLookup: NSFileProviderTestingOperation {
    /// The side on which the request is performed.
    var side: NSFileProviderTestingOperationSide { get }
    /// The identifier of the item.
    var itemIdentifier: NSFileProviderItemIdentifier { get }
}

/// The creation of an item.
public protocol NSFileProviderTestingCreation: NSFileProviderTestingOperation {
    /// The side on which the item is created.
    var targetSide: NSFileProviderTestingOperationSide { get }
    /// The item on the opposite side, with the state that the target will get.
    var sourceItem: any NSFileProviderItem { get }
    /// The version of the domain.
    var domainVersion: NSFileProviderDomainVersion? { get }
}

/// The modification of an item.
public protocol NSFileProviderTestingModification: NSFileProviderTestingOperation {
    /// The side on which the item is modified.
    var targetSide: NSFileProviderTestingOperationSide { get }
    /// The item on the opposite side, with the state that the target will get.
    var sourceItem: any NSFileProviderItem { get }
    /// The identifier of the item on the side where it is modified.
    var targetItemIdentifier: NSFileProviderItemIdentifier { get }
    /// The version of the item on which the modification is based.
    var targetItemBaseVersion: NSFileProviderItemVersion { get }
    /// The fields that are modified.
    var changedFields: NSFileProviderItemFields { get }
    /// The version of the domain.
    var domainVersion: NSFileProviderDomainVersion? { get }
}

/// The deletion of an item.
public protocol NSFileProviderTestingDeletion: NSFileProviderTestingOperation {
    /// The side on which the item is deleted.
    var targetSide: NSFileProviderTestingOperationSide { get }
    /// The identifier of the item on the opposite side.
    var sourceItemIdentifier: NSFileProviderItemIdentifier { get }
    /// The identifier of the item on the side where it is deleted.
    var targetItemIdentifier: NSFileProviderItemIdentifier { get }
    /// The version of the item that is deleted.
    var targetItemBaseVersion: NSFileProviderItemVersion { get }
    /// The version of the domain.
    var domainVersion: NSFileProviderDomainVersion? { get }
}

/// The fetch of an item's contents.
public protocol NSFileProviderTestingContentFetch: NSFileProviderTestingOperation {
    /// The side that the contents come from.
    var side: NSFileProviderTestingOperationSide { get }
    /// The identifier of the item.
    var itemIdentifier: NSFileProviderItemIdentifier { get }
}

/// The enumeration of a directory.
public protocol NSFileProviderTestingChildrenEnumeration: NSFileProviderTestingOperation {
    /// The side on which the request is performed.
    var side: NSFileProviderTestingOperationSide { get }
    /// The identifier of the directory.
    var itemIdentifier: NSFileProviderItemIdentifier { get }
}

/// The renaming of one of two items that have the same name.
public protocol NSFileProviderTestingCollisionResolution: NSFileProviderTestingOperation {
    /// The side on which the item is renamed.
    var side: NSFileProviderTestingOperationSide { get }
    /// The item with its new name.
    var renamedItem: any NSFileProviderItem { get }
}

extension NSFileProviderManager {
    /// Lists the steps that a test can run. Always fails with `CocoaError.featureUnsupported`. Tests use
    /// ``waitForStabilization(completionHandler:)`` instead.
    public func listAvailableTestingOperations() throws -> [any NSFileProviderTestingOperation] {
        throw CocoaError(.featureUnsupported)
    }

    /// Runs steps of a test, and returns the errors of the steps that failed. Always fails with
    /// `CocoaError.featureUnsupported`.
    public func run(_ operations: [any NSFileProviderTestingOperation]) throws -> [AnyHashable: any Error] {
        throw CocoaError(.featureUnsupported)
    }
}

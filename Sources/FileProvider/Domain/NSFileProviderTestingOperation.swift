import Foundation

// The steps that tests of a provider take on Apple's systems, with ``NSFileProviderDomain/TestingModes/interactive``.
// This system has no such steps: listing them fails, so no operation is ever made.

/// The kind of an operation.
///
/// Source: FileProvider, `NSFileProviderTesting.h`.
public enum NSFileProviderTestingOperationType: Int, Sendable {
    /// The ingestion of an item's state.
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

/// The side that an operation concerns.
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

/// The ingestion of an item's state.
public protocol NSFileProviderTestingIngestion: NSFileProviderTestingOperation {
    /// The side with this state.
    var side: NSFileProviderTestingOperationSide { get }
    /// The item.
    var itemIdentifier: NSFileProviderItemIdentifier { get }
    /// The item's attributes; `nil` if it was removed.
    var item: (any NSFileProviderItem)? { get }
}

/// The lookup of an item.
public protocol NSFileProviderTestingLookup: NSFileProviderTestingOperation {
    /// The side that receives the request.
    var side: NSFileProviderTestingOperationSide { get }
    /// The item.
    var itemIdentifier: NSFileProviderItemIdentifier { get }
}

/// The creation of an item.
public protocol NSFileProviderTestingCreation: NSFileProviderTestingOperation {
    /// The side on which the item is created.
    var targetSide: NSFileProviderTestingOperationSide { get }
    /// The item on the other side.
    var sourceItem: any NSFileProviderItem { get }
    /// The version of the domain.
    var domainVersion: NSFileProviderDomainVersion? { get }
}

/// The modification of an item.
public protocol NSFileProviderTestingModification: NSFileProviderTestingOperation {
    /// The side on which the item is modified.
    var targetSide: NSFileProviderTestingOperationSide { get }
    /// The item on the other side.
    var sourceItem: any NSFileProviderItem { get }
    /// The item on the side of the modification.
    var targetItemIdentifier: NSFileProviderItemIdentifier { get }
    /// The version that is modified.
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
    /// The item on the other side.
    var sourceItemIdentifier: NSFileProviderItemIdentifier { get }
    /// The item on the side of the deletion.
    var targetItemIdentifier: NSFileProviderItemIdentifier { get }
    /// The version that is deleted.
    var targetItemBaseVersion: NSFileProviderItemVersion { get }
    /// The version of the domain.
    var domainVersion: NSFileProviderDomainVersion? { get }
}

/// The fetch of an item's contents.
public protocol NSFileProviderTestingContentFetch: NSFileProviderTestingOperation {
    /// The side that the contents come from.
    var side: NSFileProviderTestingOperationSide { get }
    /// The item.
    var itemIdentifier: NSFileProviderItemIdentifier { get }
}

/// The enumeration of a directory.
public protocol NSFileProviderTestingChildrenEnumeration: NSFileProviderTestingOperation {
    /// The side that receives the request.
    var side: NSFileProviderTestingOperationSide { get }
    /// The directory.
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

    /// Runs steps. Always fails with `CocoaError.featureUnsupported`.
    public func run(_ operations: [any NSFileProviderTestingOperation]) throws -> [AnyHashable: any Error] {
        throw CocoaError(.featureUnsupported)
    }
}

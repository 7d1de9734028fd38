import Foundation

// The steps that tests of a provider take on Apple's systems, with ``NSFileProviderDomain/TestingModes/interactive``. Nothing can
// be stepped through here: the list fails, so no such operation is ever made.

/// The kind of an operation.
///
/// Source: FileProvider, `NSFileProviderTesting.h`.
public enum NSFileProviderTestingOperationType: Int, Sendable {
    /// Something was found out about an item.
    case ingestion = 0
    /// An item is looked up.
    case lookup = 1
    /// An item is made.
    case creation = 2
    /// An item is changed.
    case modification = 3
    /// An item is removed.
    case deletion = 4
    /// Contents are fetched.
    case contentFetch = 5
    /// A folder is listed.
    case childrenEnumeration = 6
    /// One of two items of a name gets another.
    case collisionResolution = 7
}

/// The side that an operation is about.
///
/// Source: FileProvider, `NSFileProviderTesting.h`.
public enum NSFileProviderTestingOperationSide: UInt, Sendable {
    /// This machine.
    case disk = 0
    /// The provider.
    case fileProvider = 1
}

/// A step of the synchronization that a test may take.
///
/// Source: FileProvider, `NSFileProviderTesting.h`.
public protocol NSFileProviderTestingOperation: NSObjectProtocol {
    /// The kind of step.
    var type: NSFileProviderTestingOperationType { get }
}

/// Something was found out about an item.
public protocol NSFileProviderTestingIngestion: NSFileProviderTestingOperation {
    /// The side that it is true of.
    var side: NSFileProviderTestingOperationSide { get }
    /// The item.
    var itemIdentifier: NSFileProviderItemIdentifier { get }
    /// The item's attributes; nil of one that was removed.
    var item: (any NSFileProviderItem)? { get }
}

/// An item is looked up.
public protocol NSFileProviderTestingLookup: NSFileProviderTestingOperation {
    /// The side that is asked.
    var side: NSFileProviderTestingOperationSide { get }
    /// The item.
    var itemIdentifier: NSFileProviderItemIdentifier { get }
}

/// An item is made.
public protocol NSFileProviderTestingCreation: NSFileProviderTestingOperation {
    /// The side where it is made.
    var targetSide: NSFileProviderTestingOperationSide { get }
    /// The item as the other side has it.
    var sourceItem: any NSFileProviderItem { get }
    /// The version of the domain.
    var domainVersion: NSFileProviderDomainVersion? { get }
}

/// An item is changed.
public protocol NSFileProviderTestingModification: NSFileProviderTestingOperation {
    /// The side where it is changed.
    var targetSide: NSFileProviderTestingOperationSide { get }
    /// The item as the other side has it.
    var sourceItem: any NSFileProviderItem { get }
    /// The item at the side where it is changed.
    var targetItemIdentifier: NSFileProviderItemIdentifier { get }
    /// The version that is changed.
    var targetItemBaseVersion: NSFileProviderItemVersion { get }
    /// The fields that are changed.
    var changedFields: NSFileProviderItemFields { get }
    /// The version of the domain.
    var domainVersion: NSFileProviderDomainVersion? { get }
}

/// An item is removed.
public protocol NSFileProviderTestingDeletion: NSFileProviderTestingOperation {
    /// The side where it is removed.
    var targetSide: NSFileProviderTestingOperationSide { get }
    /// The item at the other side.
    var sourceItemIdentifier: NSFileProviderItemIdentifier { get }
    /// The item at the side where it is removed.
    var targetItemIdentifier: NSFileProviderItemIdentifier { get }
    /// The version that is removed.
    var targetItemBaseVersion: NSFileProviderItemVersion { get }
    /// The version of the domain.
    var domainVersion: NSFileProviderDomainVersion? { get }
}

/// Contents are fetched.
public protocol NSFileProviderTestingContentFetch: NSFileProviderTestingOperation {
    /// The side that gives them.
    var side: NSFileProviderTestingOperationSide { get }
    /// The item.
    var itemIdentifier: NSFileProviderItemIdentifier { get }
}

/// A folder is listed.
public protocol NSFileProviderTestingChildrenEnumeration: NSFileProviderTestingOperation {
    /// The side that is asked.
    var side: NSFileProviderTestingOperationSide { get }
    /// The folder.
    var itemIdentifier: NSFileProviderItemIdentifier { get }
}

/// One of two items of a name gets another.
public protocol NSFileProviderTestingCollisionResolution: NSFileProviderTestingOperation {
    /// The side where it happens.
    var side: NSFileProviderTestingOperationSide { get }
    /// The item with its new name.
    var renamedItem: any NSFileProviderItem { get }
}

extension NSFileProviderManager {
    /// Lists the steps that a test may take now. It fails with `CocoaError.featureUnsupported`: a test waits with
    /// ``waitForStabilization(completionHandler:)`` instead.
    public func listAvailableTestingOperations() throws -> [any NSFileProviderTestingOperation] {
        throw CocoaError(.featureUnsupported)
    }

    /// Takes steps. It fails with `CocoaError.featureUnsupported`.
    public func run(_ operations: [any NSFileProviderTestingOperation]) throws -> [AnyHashable: any Error] {
        throw CocoaError(.featureUnsupported)
    }
}

import Foundation
import ItemProvider

/// The items and properties of a drag, as both its source and its destination see them.
@MainActor public protocol UIDragDropSession: NSObjectProtocol {
    /// The dragged items.
    var items: [UIDragItem] { get }
    /// Whether the source allows the items to be moved. A drop in another program always copies the items.
    var allowsMoveOperation: Bool { get }
    /// Whether no other process may see the items.
    var isRestrictedToDraggingApplication: Bool { get }
    /// Whether at least one item has a representation of one of the given types.
    func hasItemsConforming(toTypeIdentifiers typeIdentifiers: [String]) -> Bool
    /// Whether an object of the given class can be created from at least one item.
    func canLoadObjects(ofClass aClass: any NSItemProviderReading.Type) -> Bool
}

extension UIDragDropSession {
    /// Whether a value of type `T` can be created from at least one item.
    public func canLoadObjects<T>(ofClass: T.Type) -> Bool
    where T: _ObjectiveCBridgeable & SendableMetatype, T._ObjectiveCType: NSItemProviderReading & SendableMetatype {
        canLoadObjects(ofClass: T._ObjectiveCType.self)
    }
}

/// A drag, as its source sees it.
@MainActor public protocol UIDragSession: UIDragDropSession {
    /// Any value that the program sets, for a drop within the same program.
    var localContext: Any? { get set }
}

/// The style of a drop's progress indicator.
public enum UIDropSessionProgressIndicatorStyle: UInt, Sendable {
    /// No indicator.
    case none = 0
    /// The usual indicator.
    case `default` = 1
}

/// A drag, as its destination sees it.
///
/// The progress of the session is the progress of all loads of the drop.
@MainActor public protocol UIDropSession: UIDragDropSession, ProgressReporting {
    /// The source's session, if the drag began in this process.
    var localDragSession: (any UIDragSession)? { get }
    /// The style of the progress indicator.
    var progressIndicatorStyle: UIDropSessionProgressIndicatorStyle { get set }
    /// Loads an object of the given class from every item that the class can read. Must be called while the delegate
    /// performs the drop.
    ///
    /// - Parameter completion: called on the main actor with the objects that could be created, in the items' order.
    @discardableResult
    func loadObjects(
        ofClass aClass: any NSItemProviderReading.Type, completion: @escaping ([any NSItemProviderReading]) -> Void
    ) -> Progress
}

extension UIDropSession {
    /// Loads a value of type `T` from every item from which such a value can be created; see
    /// ``loadObjects(ofClass:completion:)-swift.method``.
    public func loadObjects<T>(ofClass: T.Type, completion: @escaping ([T]) -> Void) -> Progress
    where T: _ObjectiveCBridgeable & SendableMetatype, T._ObjectiveCType: NSItemProviderReading & SendableMetatype {
        loadObjects(ofClass: T._ObjectiveCType.self) { objects in
            completion(
                objects.compactMap { object in
                    var value: T?
                    guard let object = object as? T._ObjectiveCType,
                        T._conditionallyBridgeFromObjectiveC(object, result: &value)
                    else { return nil }
                    return value
                })
        }
    }
}

import Foundation
import ItemProvider

/// What a drag is about, for both sides of it.
@MainActor public protocol UIDragDropSession: NSObjectProtocol {
    /// What is dragged.
    var items: [UIDragItem] { get }
    /// Whether the source lets the items be moved. From one program to another they are copied even so.
    var allowsMoveOperation: Bool { get }
    /// Whether no other process may see the items.
    var isRestrictedToDraggingApplication: Bool { get }
    /// Whether some item has a representation of one of these types.
    func hasItemsConforming(toTypeIdentifiers typeIdentifiers: [String]) -> Bool
    /// Whether an object of a class can be made from some item.
    func canLoadObjects(ofClass aClass: any NSItemProviderReading.Type) -> Bool
}

extension UIDragDropSession {
    /// Whether a value of a type can be made from some item.
    public func canLoadObjects<T>(ofClass: T.Type) -> Bool
    where T: _ObjectiveCBridgeable & SendableMetatype, T._ObjectiveCType: NSItemProviderReading & SendableMetatype {
        canLoadObjects(ofClass: T._ObjectiveCType.self)
    }
}

/// A drag, as its source sees it.
@MainActor public protocol UIDragSession: UIDragDropSession {
    /// Whatever the program wants to find again when something is dropped in it.
    var localContext: Any? { get set }
}

/// How the progress of a drop is shown.
public enum UIDropSessionProgressIndicatorStyle: UInt, Sendable {
    /// Not at all.
    case none = 0
    /// As is usual.
    case `default` = 1
}

/// A drag, as its destination sees it.
///
/// Its progress is that of everything that is loaded from the drop.
@MainActor public protocol UIDropSession: UIDragDropSession, ProgressReporting {
    /// The drag's own session, when it began in this process.
    var localDragSession: (any UIDragSession)? { get }
    /// How the progress is shown.
    var progressIndicatorStyle: UIDropSessionProgressIndicatorStyle { get set }
    /// Loads an object of a class from every item that has one. To be called while the drop is performed.
    ///
    /// - Parameter completion: called on the main actor with the objects that could be made, in the items' order.
    @discardableResult
    func loadObjects(
        ofClass aClass: any NSItemProviderReading.Type, completion: @escaping ([any NSItemProviderReading]) -> Void
    ) -> Progress
}

extension UIDropSession {
    /// Loads a value of a type from every item that has one, see ``loadObjects(ofClass:completion:)-swift.method``.
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

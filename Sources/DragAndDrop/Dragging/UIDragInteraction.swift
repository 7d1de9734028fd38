import Foundation
import ItemProvider

/// A source of drags. Only a toolkit can begin a drag. This package does not contain a toolkit yet.
@MainActor open class UIDragInteraction: NSObject {
    /// The delegate, which provides the dragged items.
    open private(set) weak var delegate: (any UIDragInteractionDelegate)?
    /// Whether a drag can begin along with other gestures.
    open var allowsSimultaneousRecognitionDuringLift = false
    /// Whether drags can begin at all.
    open var isEnabled = UIDragInteraction.isEnabledByDefault

    /// Whether new interactions are enabled. It is `true`.
    open class var isEnabledByDefault: Bool { true }

    /// Creates a source of drags.
    public init(delegate: any UIDragInteractionDelegate) {
        self.delegate = delegate
        super.init()
    }
}

/// The delegate that provides the dragged items, and is notified of the drag. All methods but the first have a
/// default.
@MainActor public protocol UIDragInteractionDelegate: NSObjectProtocol {
    /// Returns the items of a drag that is about to begin; an empty array prevents the drag.
    func dragInteraction(_ interaction: UIDragInteraction, itemsForBeginning session: any UIDragSession) -> [UIDragItem]
    /// Called before a drag begins.
    func dragInteraction(_ interaction: UIDragInteraction, sessionWillBegin session: any UIDragSession)
    /// Whether the items may be moved. The default is `true`. The value matters only within one program: a drop in
    /// another program always copies the items.
    func dragInteraction(_ interaction: UIDragInteraction, sessionAllowsMoveOperation session: any UIDragSession)
        -> Bool
    /// Whether no other process may see the items. By default `false`.
    func dragInteraction(
        _ interaction: UIDragInteraction, sessionIsRestrictedToDraggingApplication session: any UIDragSession
    ) -> Bool
    /// Whether previews are shown in full size. By default `false`.
    func dragInteraction(
        _ interaction: UIDragInteraction, prefersFullSizePreviewsFor session: any UIDragSession
    ) -> Bool
    /// Called when the drag has moved.
    func dragInteraction(_ interaction: UIDragInteraction, sessionDidMove session: any UIDragSession)
    /// Called before the drag ends, with its outcome.
    func dragInteraction(
        _ interaction: UIDragInteraction, session: any UIDragSession, willEndWith operation: UIDropOperation)
    /// Called when the drag has ended, with its outcome.
    func dragInteraction(
        _ interaction: UIDragInteraction, session: any UIDragSession, didEndWith operation: UIDropOperation)
    /// Called when the destination has loaded everything.
    func dragInteraction(_ interaction: UIDragInteraction, sessionDidTransferItems session: any UIDragSession)
}

extension UIDragInteractionDelegate {
    /// Does nothing.
    public func dragInteraction(_ interaction: UIDragInteraction, sessionWillBegin session: any UIDragSession) {}
    /// Whether the items may be moved: `true`.
    public func dragInteraction(
        _ interaction: UIDragInteraction, sessionAllowsMoveOperation session: any UIDragSession
    ) -> Bool { true }
    /// Whether no other process may see the items: `false`.
    public func dragInteraction(
        _ interaction: UIDragInteraction, sessionIsRestrictedToDraggingApplication session: any UIDragSession
    ) -> Bool { false }
    /// Whether previews are shown in full size: `false`.
    public func dragInteraction(
        _ interaction: UIDragInteraction, prefersFullSizePreviewsFor session: any UIDragSession
    ) -> Bool { false }
    /// Does nothing.
    public func dragInteraction(_ interaction: UIDragInteraction, sessionDidMove session: any UIDragSession) {}
    /// Does nothing.
    public func dragInteraction(
        _ interaction: UIDragInteraction, session: any UIDragSession, willEndWith operation: UIDropOperation
    ) {}
    /// Does nothing.
    public func dragInteraction(
        _ interaction: UIDragInteraction, session: any UIDragSession, didEndWith operation: UIDropOperation
    ) {}
    /// Does nothing.
    public func dragInteraction(_ interaction: UIDragInteraction, sessionDidTransferItems session: any UIDragSession) {}
}

/// One dragged item.
///
/// Source: UIKit, `UIDragItem.h`, without the parts that depend on views.
@MainActor open class UIDragItem: NSObject {
    /// The representations of the item.
    open private(set) var itemProvider: NSItemProvider
    /// Any value that the program sets, for a drop within the same program. Other processes do not see it.
    open var localObject: Any?

    /// Creates an item to drag.
    public init(itemProvider: NSItemProvider) {
        self.itemProvider = itemProvider
        super.init()
    }
}

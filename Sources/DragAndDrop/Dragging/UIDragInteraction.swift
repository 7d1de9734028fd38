import Foundation

/// Makes something a source of drags. Whatever shows it to a person begins the drag: a toolkit of this package, which is yet to
/// come. A program cannot begin one by itself.
@MainActor open class UIDragInteraction: NSObject {
    /// Who says what is dragged.
    open private(set) weak var delegate: (any UIDragInteractionDelegate)?
    /// Whether a drag can begin along with other gestures.
    open var allowsSimultaneousRecognitionDuringLift = false
    /// Whether drags begin at all.
    open var isEnabled = UIDragInteraction.isEnabledByDefault

    /// `true`.
    open class var isEnabledByDefault: Bool { true }

    /// A source of drags.
    public init(delegate: any UIDragInteractionDelegate) {
        self.delegate = delegate
        super.init()
    }
}

/// Says what is dragged, and is told what becomes of it. All but the first have an answer of their own.
@MainActor public protocol UIDragInteractionDelegate: NSObjectProtocol {
    /// What a drag that begins here is about; nothing, when none is to begin.
    func dragInteraction(_ interaction: UIDragInteraction, itemsForBeginning session: any UIDragSession) -> [UIDragItem]
    /// A drag is about to begin.
    func dragInteraction(_ interaction: UIDragInteraction, sessionWillBegin session: any UIDragSession)
    /// Whether the items may be moved; `true` without an answer. It matters within a program: a drop in another one is always a copy.
    func dragInteraction(_ interaction: UIDragInteraction, sessionAllowsMoveOperation session: any UIDragSession)
        -> Bool
    /// Whether no other process may see the items; `false` without an answer.
    func dragInteraction(
        _ interaction: UIDragInteraction, sessionIsRestrictedToDraggingApplication session: any UIDragSession
    ) -> Bool
    /// Whether previews are shown in full size; `false` without an answer.
    func dragInteraction(
        _ interaction: UIDragInteraction, prefersFullSizePreviewsFor session: any UIDragSession
    ) -> Bool
    /// The drag has moved.
    func dragInteraction(_ interaction: UIDragInteraction, sessionDidMove session: any UIDragSession)
    /// The drag is about to end, with this.
    func dragInteraction(
        _ interaction: UIDragInteraction, session: any UIDragSession, willEndWith operation: UIDropOperation)
    /// The drag has ended, with this.
    func dragInteraction(
        _ interaction: UIDragInteraction, session: any UIDragSession, didEndWith operation: UIDropOperation)
    /// The destination has everything that it wanted.
    func dragInteraction(_ interaction: UIDragInteraction, sessionDidTransferItems session: any UIDragSession)
}

extension UIDragInteractionDelegate {
    /// Nothing.
    public func dragInteraction(_ interaction: UIDragInteraction, sessionWillBegin session: any UIDragSession) {}
    /// `true`.
    public func dragInteraction(
        _ interaction: UIDragInteraction, sessionAllowsMoveOperation session: any UIDragSession
    ) -> Bool { true }
    /// `false`.
    public func dragInteraction(
        _ interaction: UIDragInteraction, sessionIsRestrictedToDraggingApplication session: any UIDragSession
    ) -> Bool { false }
    /// `false`.
    public func dragInteraction(
        _ interaction: UIDragInteraction, prefersFullSizePreviewsFor session: any UIDragSession
    ) -> Bool { false }
    /// Nothing.
    public func dragInteraction(_ interaction: UIDragInteraction, sessionDidMove session: any UIDragSession) {}
    /// Nothing.
    public func dragInteraction(
        _ interaction: UIDragInteraction, session: any UIDragSession, willEndWith operation: UIDropOperation
    ) {}
    /// Nothing.
    public func dragInteraction(
        _ interaction: UIDragInteraction, session: any UIDragSession, didEndWith operation: UIDropOperation
    ) {}
    /// Nothing.
    public func dragInteraction(_ interaction: UIDragInteraction, sessionDidTransferItems session: any UIDragSession) {}
}

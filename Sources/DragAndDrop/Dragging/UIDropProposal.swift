import Foundation
import FoundationAdditions

/// The effect of a drop.
public enum UIDropOperation: UInt, Sendable {
    /// The drop is cancelled.
    case cancel = 0
    /// The drop is not allowed in this place, but may be elsewhere.
    case forbidden = 1
    /// The items are copied.
    case copy = 2
    /// The items are moved within one program. If the source does not allow a move, the drop is cancelled. Items of
    /// another program are always copied.
    case move = 3
}

/// A destination's proposal for a drop at this moment.
@MainActor open class UIDropProposal: NSObject, NSCopying {
    /// The proposed operation.
    open private(set) var operation: UIDropOperation
    /// Whether the exact position of the drop within the destination matters.
    open var isPrecise = false
    /// Whether previews are shown in full size.
    open var prefersFullSizePreview = false

    /// Creates a proposal of an operation.
    public required init(operation: UIDropOperation) {
        self.operation = operation
        super.init()
    }

    /// Returns a copy of the proposal.
    open nonisolated func copy(with zone: NSZone? = nil) -> Any {
        // Foundation's protocol has no actor isolation, but the object belongs to the main actor.
        MainActor.assumeIsolated {
            let copy = Self(operation: operation)
            copy.isPrecise = isPrecise
            copy.prefersFullSizePreview = prefersFullSizePreview
            return Disconnected<Any>(copy)
        }.value
    }
}

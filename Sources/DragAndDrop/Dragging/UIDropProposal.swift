import Foundation

/// What a drop does.
public enum UIDropOperation: UInt, Sendable {
    /// Nothing: it is called off.
    case cancel = 0
    /// Nothing: it would be allowed elsewhere.
    case forbidden = 1
    /// The items are copied.
    case copy = 2
    /// The items are moved: within one program, where the source allows it. Where it does not, the drop is called off; from another
    /// program the items are copied.
    case move = 3
}

/// What a destination would do with a drop at this moment.
@MainActor open class UIDropProposal: NSObject, NSCopying {
    /// What would be done.
    open private(set) var operation: UIDropOperation
    /// Whether the place within the destination matters.
    open var isPrecise = false
    /// Whether previews are shown in full size.
    open var prefersFullSizePreview = false

    /// A proposal to do this.
    public required init(operation: UIDropOperation) {
        self.operation = operation
        super.init()
    }

    /// A proposal of the same.
    open nonisolated func copy(with zone: NSZone? = nil) -> Any {
        // Foundation's protocol knows no actors; the object itself is the main actor's.
        MainActor.assumeIsolated {
            let copy = Self(operation: operation)
            copy.isPrecise = isPrecise
            copy.prefersFullSizePreview = prefersFullSizePreview
            return Copied(value: copy)
        }.value
    }
}

/// Sendable because it only leaves the isolation that it was just made in.
private struct Copied: @unchecked Sendable {
    let value: Any
}

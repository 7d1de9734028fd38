import ItemStore

/// The upload of one item's local changes: its phase, and the state that outlasts a phase. ``UploadTable`` has the
/// transitions.
///
/// An upload task does not survive a crash. The journal records the changes that are left to send.
package struct UploadTask {
    package enum Phase {
        /// No step is scheduled. There is nothing to send, or the item waits for an event, such as the close of a file.
        case idle
        /// The next step is due at a time.
        case queued(at: Double)
        /// A step is running at the provider.
        case running(UploadStep)
        /// Another item's step renames this item temporarily. The item has no step of its own meanwhile.
        ///
        /// - Parameters:
        ///   - holder: The item whose step renames this one.
        ///   - blocker: The item that this one still waits for, as in `blocked`.
        case reserved(by: ItemNumber, blocker: ItemNumber?)
        /// The item replaced another one whose contents are being sent. It has no step until that upload has ended.
        case succeeding(ItemNumber)
        /// The item waits for a result of another item. If no event wakes it, its next step is due at the given time.
        case blocked(on: ItemNumber, until: Double)
        /// The last step failed. The next step is due at the given time.
        case backingOff(until: Double)
        /// The provider has accepted the contents. The next request for whether its service has them is due at the
        /// given time.
        case awaitingConfirmation(until: Double)
        /// The last step failed with an error that only the user can resolve. No step is scheduled.
        case parked
    }

    package private(set) var phase = Phase.idle
    /// Whether the item changed while it was busy, so that another step is needed.
    package var isWantedAgain = false
    /// The contents that the provider has accepted and not confirmed yet.
    package var accepted: AcceptedContents?
    /// The number of local edits of the item's contents since the start, or since it last had nothing to send.
    package var generation: UInt64 = 0
    /// The number of consecutive failures.
    package var attempts = 0
    /// The number of consecutive dependency cycles that the item was found in.
    package var cycles = 0
    /// The next step for a new item whose reply could not be used.
    package var unfit: UnfitReply?
    /// Whether the last request to move the item got a reply that could not be used, so that only another reply shows
    /// whether the provider accepts the move.
    package var isMoveUnfit = false

    package init() {}

    /// Returns a copy of the task that is in another phase and otherwise unchanged. Used by ``UploadTable``.
    package func moved(to phase: Phase) -> UploadTask {
        var task = self
        task.phase = phase
        return task
    }

    /// Returns a task with the phase of this one if the item is busy, and otherwise in its initial state.
    package func withoutFacts() -> UploadTask { UploadTask().moved(to: isBusy ? phase : .idle) }

    /// Whether a step that may change the item is running: the item's own step, before or after the request, or the
    /// step of another item, which has reserved this item or which this item replaced.
    package var isBusy: Bool {
        switch phase {
        case .running, .reserved, .succeeding: true
        case .idle, .queued, .blocked, .backingOff, .awaitingConfirmation, .parked: false
        }
    }

    /// The running step.
    package var step: UploadStep? {
        guard case .running(let step) = phase else { return nil }
        return step
    }

    /// The item whose result this one waits for.
    package var blocker: ItemNumber? {
        switch phase {
        case .blocked(let other, _): other
        case .reserved(_, let blocker): blocker
        default: nil
        }
    }

    /// The item whose step has reserved this one.
    package var holder: ItemNumber? {
        switch phase {
        case .reserved(let holder, _): holder
        default: nil
        }
    }

    /// The time at which the next step is due.
    package var due: Double? {
        switch phase {
        case .queued(let time), .blocked(_, let time), .backingOff(let time), .awaitingConfirmation(let time): time
        case .idle, .running, .reserved, .succeeding, .parked: nil
        }
    }

    /// Whether the task equals that of an item without uploads, so that it need not be stored.
    package var isEmpty: Bool {
        guard case .idle = phase else { return false }
        return !isWantedAgain && accepted == nil && generation == 0 && attempts == 0 && cycles == 0 && unfit == nil
            && !isMoveUnfit
    }
}

/// A running step.
package struct UploadStep {
    package let task: Task<Void, Never>
    /// The context that orders replies and reports that arrive during the step.
    package let request: ReplyOrdering.Request
    /// Whether the step sends only new contents.
    package var sendsContents: Bool
    /// The item that replaced this one during the step.
    package var successor: ItemNumber?
    /// The item that this one waited for when the step began. The step may find that it still has to wait.
    package var formerBlocker: ItemNumber?

    package init(task: Task<Void, Never>, request: ReplyOrdering.Request, sendsContents: Bool) {
        self.task = task
        self.request = request
        self.sendsContents = sendsContents
    }
}

/// Contents that the provider has accepted, while its service may not have them yet.
package struct AcceptedContents: Equatable {
    package var generation: UInt64
    /// The size in bytes.
    package var size: Int64
    /// The number of requests for whether the service has the contents.
    package var polls = 0

    package init(generation: UInt64, size: Int64) {
        self.generation = generation
        self.size = size
    }
}

/// The next step for a new item whose reply could not be used.
package enum UnfitReply {
    case isLookedFor
    case mayBeMadeAgain
}

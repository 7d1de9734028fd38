import ItemStore

/// The state of the upload of one item's local changes: its phase, and the values that outlast a phase. ``UploadTable``
/// performs the transitions between phases.
///
/// An upload task does not survive a crash. The journal records the changes that are still to be sent.
package struct UploadTask {
    package enum Phase {
        /// No step is scheduled. There is nothing to send, or the item waits for an event, such as the close of a file.
        case idle
        /// The next step is due at the given time.
        case queued(at: Double)
        /// A step is running at the provider.
        case running(UploadStep)
        /// Another item's step is renaming this item temporarily. Until that step ends, the item has no step of its
        /// own.
        ///
        /// - Parameters:
        ///   - holder: The item whose step renames this one.
        ///   - blocker: The item for which this one still waits, as in `blocked`; `nil` if it waits for none.
        case reserved(by: ItemNumber, blocker: ItemNumber?)
        /// The item replaced the given item, whose contents are being sent. The new item has no step until that upload
        /// has ended.
        case succeeding(ItemNumber)
        /// The item waits for a result of the given item. Its next step is due when that result comes, and at the given
        /// time at the latest.
        case blocked(on: ItemNumber, until: Double)
        /// The last step failed. The next step is due at the given time.
        case backingOff(until: Double)
        /// The provider has accepted the contents. The next request that asks whether its service has them is due at
        /// the given time.
        case awaitingConfirmation(until: Double)
        /// The last step failed with an error that only the user can resolve. No step is scheduled.
        case parked
    }

    package private(set) var phase = Phase.idle
    /// Whether the item changed while it was busy, so that another step is needed.
    package var isWantedAgain = false
    /// The contents that the provider has accepted and not confirmed yet; `nil` if there are none.
    package var accepted: AcceptedContents?
    /// The number of local edits of the item's contents since the daemon's start, or since the item last had nothing to
    /// send.
    package var generation: UInt64 = 0
    /// The number of consecutive failed steps.
    package var attempts = 0
    /// The number of consecutive dependency cycles that contained the item.
    package var cycles = 0
    /// The request of this item that got an unusable reply; `nil` if there is none.
    package var unfit: UnfitReply?

    package init() {}

    /// Returns a copy of the task in the given phase. Used by ``UploadTable``.
    package func moved(to phase: Phase) -> UploadTask {
        var task = self
        task.phase = phase
        return task
    }

    /// Returns a task without the values of this task. It has the phase of this task if the item is busy; otherwise it
    /// is idle.
    package func phaseAlone() -> UploadTask { UploadTask().moved(to: isBusy ? phase : .idle) }

    /// Whether a step that may change the item is running. The step is the item's own, or that of another item: one
    /// that has reserved this item, or one that this item replaced.
    package var isBusy: Bool {
        switch phase {
        case .running, .reserved, .succeeding: true
        case .idle, .queued, .blocked, .backingOff, .awaitingConfirmation, .parked: false
        }
    }

    /// The running step; `nil` if none is running.
    package var step: UploadStep? {
        guard case .running(let step) = phase else { return nil }
        return step
    }

    /// The item for whose result this one waits; `nil` if it waits for none.
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

    /// The time at which the next step is due; `nil` if none is scheduled.
    package var due: Double? {
        switch phase {
        case .queued(let time), .blocked(_, let time), .backingOff(let time), .awaitingConfirmation(let time): time
        case .idle, .running, .reserved, .succeeding, .parked: nil
        }
    }

    /// Whether the task equals that of an item with no upload, so that it need not be stored.
    package var isEmpty: Bool {
        guard case .idle = phase else { return false }
        return !isWantedAgain && accepted == nil && generation == 0 && attempts == 0 && cycles == 0 && unfit == nil
    }
}

/// A running step.
package struct UploadStep {
    package let task: Task<Void, Never>
    /// The request that identifies this step to ``ReplyOrdering``, which detects stale replies.
    package let request: ReplyOrdering.Request
    /// Whether the step sends new contents and nothing else: it neither creates nor moves the item.
    package var sendsContents: Bool
    /// The item that replaced this step's item while the step was running; `nil` if none did.
    package var successor: ItemNumber?
    /// The item for which this step's item waited when the step began. The step may find that its item still has to
    /// wait.
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
    /// The number of requests so far that asked whether the service has the contents.
    package var polls = 0

    package init(generation: UInt64, size: Int64) {
        self.generation = generation
        self.size = size
    }
}

/// A request that got an unusable reply, and the next action.
package enum UnfitReply {
    /// The creation of the item. The engine looks for the item in the place to which it was sent, because the provider
    /// may have created it.
    case creation
    /// The creation of the item. If the item is not in the place to which it was sent, the engine may ask the provider
    /// to create it again.
    case repeatableCreation
    /// The move of the item. Only another reply shows whether the provider accepts the move.
    case move
}

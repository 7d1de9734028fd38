import FileProviderWire
import ItemStore

/// The code that waits for edits, as far as the engine knows it.
///
/// A provider may wait while it processes a change. This change completes only after the wait has ended.
package enum EditWaiter: Sendable {
    /// Code that processes no change.
    case other
    /// Code of a provider that processes the change of the item with the given identifier.
    case change(of: String)
    /// Code in a provider's process whose change is not known, such as code on a separate queue. The code may belong to
    /// the change of one of the items with the given identifiers, which the process is serving. It may also belong to
    /// an upload that the provider continues after it has accepted the contents.
    case provider(serving: [String])
}

extension EditWaiter {
    /// Whether the engine guesses which change the code processes. The code may also process none.
    var isGuess: Bool {
        if case .provider = self { true } else { false }
    }
}

/// The state of a running call of ``EditProgress/waitForEdits(below:from:)``.
struct EditWait {
    /// The items whose change the caller may be processing, with the requests of their steps. The change that the
    /// caller processes completes only after the call has returned. The changes of all other candidates may complete
    /// earlier. Therefore all candidates are awaited until only one is left. This one counts as the caller's item, and
    /// is not awaited.
    var candidates: [ItemNumber: ReplyOrdering.Request?]
    /// The items with a running step, whose contents the provider may have accepted already. Such an item becomes a
    /// candidate when the engine has received the provider's reply.
    var sent: Set<ItemNumber>
    /// The items whose edits are still awaited.
    var awaited: Set<ItemNumber>
    /// The time for which the wait has looked like a part of a deadlock.
    var suspicion: DeadlockSuspicion

    /// The item whose change the caller processes; `nil` if the caller processes no change, or if the change is not
    /// known.
    var own: ItemNumber? { candidates.count == 1 ? candidates.keys.first : nil }
}

/// The time for which a wait has looked like a part of a deadlock.
///
/// If the engine guesses which change the waiting code processes, the code may process none, for example because a
/// timer has started it. While a large file is sent, such a wait looks like a part of a deadlock, too, but it ends by
/// itself. Therefore a suspicion that rests on a guess counts as certain only after ``patience`` seconds.
struct DeadlockSuspicion {
    private let isGuess: Bool
    /// The time at which the suspicion began, in seconds since 1970; `nil` if there is none.
    private var start: Double?

    /// The number of seconds after which a suspicion that rests on a guess counts as certain.
    static let patience = 10.0

    init(of waiter: EditWaiter) { isGuess = waiter.isGuess }

    /// Records whether the wait looks like a part of a deadlock now.
    ///
    /// - Parameter now: The current time in seconds since 1970.
    /// - Throws: ``ProviderError/Kind/cannotSynchronize`` if the wait can never end.
    mutating func note(_ isStuck: Bool, at now: Double) throws(ProviderError) {
        guard isStuck else { return start = nil }
        let start = self.start ?? now
        self.start = start
        guard isGuess, now - start < Self.patience else {
            throw ProviderError(.cannotSynchronize, message: "Two changes of items wait for each other.")
        }
    }
}

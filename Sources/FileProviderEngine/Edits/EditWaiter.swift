import ItemStore

/// The code that waits for edits, as far as the engine knows it.
///
/// A provider may wait while it processes a change. This change completes only after the wait has ended.
package enum EditWaiter: Sendable {
    /// Code that processes no change.
    case other
    /// Code of a provider that processes the change of the item with the given identifier.
    case change(of: String)
    /// Code in the process of a provider, on a queue of the provider's own. It may belong to a change of one of the
    /// items with the given identifiers, which the process is serving, or to an upload that the provider continues
    /// after it has accepted the contents.
    case provider(serving: [String])
}

/// The state of a running call of ``EditProgress/waitForEdits(below:from:)``.
struct EditWait {
    /// The items whose change the caller may be processing, with the requests of their steps. That one change completes
    /// only after the call has returned. As long as there are several, all of them are awaited, because any of them
    /// may end before the call returns. The last one is the caller's own.
    var candidates: [ItemNumber: ReplyOrdering.Request?]
    /// The items with a step whose contents the provider may have accepted already. If it has, they become candidates
    /// as soon as the engine has its reply.
    var sent: Set<ItemNumber>
    /// The items whose edits are still awaited.
    var awaited: Set<ItemNumber>

    /// The item whose change the caller processes; `nil` if it processes none, or if it is not known which one.
    var own: ItemNumber? { candidates.count == 1 ? candidates.keys.first : nil }
}

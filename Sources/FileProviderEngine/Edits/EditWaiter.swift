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

/// The state of a running call of ``EditProgress/waitForEdits(below:from:)``.
struct EditWait {
    /// The items whose change the caller may be processing, with the requests of their steps. The change that the
    /// caller processes completes only after the call has returned. While several candidates are left, all of them are
    /// awaited, because all but one may complete earlier. The last candidate counts as the caller's item, and is not
    /// awaited.
    var candidates: [ItemNumber: ReplyOrdering.Request?]
    /// The items with a running step, whose contents the provider may have accepted already. Such an item becomes a
    /// candidate when the engine has received the provider's reply.
    var sent: Set<ItemNumber>
    /// The items whose edits are still awaited.
    var awaited: Set<ItemNumber>

    /// The item whose change the caller processes; `nil` if the caller processes no change, or if the change is not
    /// known.
    var own: ItemNumber? { candidates.count == 1 ? candidates.keys.first : nil }
}

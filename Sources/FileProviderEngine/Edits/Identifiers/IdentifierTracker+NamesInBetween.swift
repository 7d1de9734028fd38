import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Handles the temporary names of items at the provider. An item gets one while it exchanges places with another item.
/// Temporary names are never visible locally: the item has its local name until it has its final name at the provider.
/// A provider may report the temporary name for a while after the item got its final name.
extension IdentifierTracker {
    /// The time in seconds for which a provider may still report a temporary name after the item got its final name.
    private static let memory = 60.0
    /// The pause in seconds before the engine requests the present name of an item that was reported under a former
    /// temporary name.
    private static let pause = 1.0

    /// Records that the item no longer has its temporary name at the provider, because it was moved.
    ///
    /// - Returns: The provider's reply, with the requested name in place of the temporary one.
    func leftNameInBetween(
        _ answer: ProviderItem, movedTo name: String, in parent: ItemNumber
    ) -> ProviderItem {
        guard var inBetween = namesInBetween[ExactText(answer.identifier)] else { return answer }
        inBetween.end = clock.now + Self.memory
        namesInBetween[ExactText(answer.identifier)] = inBetween
        guard answer.filename.hasSameBytes(as: inBetween.name), let parent = try? index.item(parent) else {
            return answer
        }
        askLater(answer.identifier)
        var answer = answer
        answer.filename = name
        answer.parent = parent.item.identifier
        return answer
    }

    /// Records an item's temporary name under the item's new identifier.
    func passNameInBetween(from identifier: String, to other: String) {
        guard !identifier.hasSameBytes(as: other),
            let name = namesInBetween.removeValue(forKey: ExactText(identifier))
        else { return }
        namesInBetween[ExactText(other)] = name
    }

    /// Returns the reported items, corrected: an item that is reported under a former temporary name gets the name and
    /// the parent that it has in the index.
    func withoutNamesInBetween(_ items: [ProviderItem]) throws(ProviderError) -> [ProviderItem] {
        guard !namesInBetween.isEmpty else { return items }
        let now = clock.now
        namesInBetween = namesInBetween.filter { $0.value.end.map { now < $0 } ?? true }
        var items = items
        for position in items.indices {
            let item = items[position]
            guard let inBetween = namesInBetween[ExactText(item.identifier)], inBetween.end != nil,
                item.filename.hasSameBytes(as: inBetween.name),
                let row = try onRecord({ () throws(IndexError) in try index.item(identifier: item.identifier) }),
                row.changes.isDisjoint(with: [.place, .deleted]), !row.item.filename.hasSameBytes(as: item.filename)
            else { continue }
            items[position].filename = row.item.filename
            items[position].parent = row.item.parent
            askLater(item.identifier)
        }
        return items
    }

    private func askLater(_ identifier: String) {
        later(after: Self.pause) { engine in
            guard !engine.context.isClosed else { return }
            engine.itemsMayBeShown([ExactText(identifier)])
        }
    }
}

/// A temporary name of an item at the provider.
struct NameInBetween {
    let name: String
    /// The end of the period in which the provider may still report the name, in seconds since 1970; `nil` while the
    /// item has the name.
    var end: Double?
}

import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Temporary names of items at the provider, which are used to exchange two items. They are never visible locally:
/// until the item has its final name, its local name counts. Afterwards, a provider may still report the temporary name
/// for a while.
extension IdentifierTracker {
    /// The time in seconds for which a provider may report a name after the item was renamed again.
    private static let memory = 60.0
    /// The number of seconds after which the provider is asked for the present name.
    private static let pause = 1.0

    /// Ends an item's temporary name after the item was moved.
    ///
    /// - Returns: The provider's reply, with the requested name in place of the temporary one.
    func leftNameInBetween(
        _ answer: ProviderItem, movedTo name: String, in parent: ItemNumber
    ) -> ProviderItem {
        guard var inBetween = namesInBetween[answer.identifier] else { return answer }
        inBetween.end = clock.now + Self.memory
        namesInBetween[answer.identifier] = inBetween
        guard answer.filename.hasSameBytes(as: inBetween.name), let parent = try? index.item(parent) else {
            return answer
        }
        askLater(answer.identifier)
        var answer = answer
        answer.filename = name
        answer.parent = parent.item.identifier
        return answer
    }

    /// Passes a temporary name on to the item's new identifier.
    func passNameInBetween(from identifier: String, to other: String) {
        guard !identifier.hasSameBytes(as: other), let name = namesInBetween.removeValue(forKey: identifier)
        else { return }
        namesInBetween[other] = name
    }

    /// Returns reported items. An item that is reported under a temporary name that it no longer has gets the name and
    /// parent from the index.
    func withoutNamesInBetween(_ items: [ProviderItem]) throws(ProviderError) -> [ProviderItem] {
        guard !namesInBetween.isEmpty else { return items }
        let now = clock.now
        namesInBetween = namesInBetween.filter { $0.value.end.map { now < $0 } ?? true }
        var items = items
        for position in items.indices {
            let item = items[position]
            guard let inBetween = namesInBetween[item.identifier], inBetween.end != nil,
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
            engine.itemsMayBeShown([identifier])
        }
    }
}

/// A temporary name of an item at the provider.
struct NameInBetween {
    let name: String
    /// The time until which the provider may report the name, in seconds since 1970; `nil` while the item has it.
    var end: Double?
}

import FileProvider

/// Names that items are given at the provider for a while, because two change places there. Nobody is to see them here: until the item
/// is moved on, the name that it has here counts, and when it was, a provider may still tell of the one before.
extension DomainEngine {
    /// A provider may tell for so many seconds of a name that an item does not have any more.
    private static let memory = 60.0
    /// And is asked after so many what is so now.
    private static let pause = 1.0

    /// An item was moved: if it had another name for a while, that is over.
    ///
    /// - Returns: what the provider said to it, with the name that was asked for where it still says the one before.
    func leftNameInBetween(_ answer: ProviderItem, movedTo name: String, in parent: ItemNumber) -> ProviderItem {
        guard var inBetween = edits.namesInBetween[answer.identifier] else { return answer }
        inBetween.end = clock.now + Self.memory
        edits.namesInBetween[answer.identifier] = inBetween
        guard answer.filename.hasSameBytes(as: inBetween.name), let parent = try? index.item(parent) else {
            return answer
        }
        askLater(answer.identifier)
        var answer = answer
        answer.filename = name
        answer.parent = parent.item.identifier
        return answer
    }

    /// Passes an interim name on to the item's new identifier.
    func passNameInBetween(from identifier: String, to other: String) {
        guard !identifier.hasSameBytes(as: other), let name = edits.namesInBetween.removeValue(forKey: identifier)
        else { return }
        edits.namesInBetween[other] = name
    }

    /// What the provider says of items, without places that they have left.
    func withoutNamesInBetween(_ items: [ProviderItem]) throws(ProviderFailure) -> [ProviderItem] {
        guard !edits.namesInBetween.isEmpty else { return items }
        let now = clock.now
        edits.namesInBetween = edits.namesInBetween.filter { $0.value.end.map { now < $0 } ?? true }
        var items = items
        for position in items.indices {
            let item = items[position]
            guard let inBetween = edits.namesInBetween[item.identifier], inBetween.end != nil,
                item.filename.hasSameBytes(as: inBetween.name),
                let row = try onRecord({ () throws(IndexFailure) in try index.item(identifier: item.identifier) }),
                row.changes.isDisjoint(with: [.place, .deleted]), !row.item.filename.hasSameBytes(as: item.filename)
            else { continue }
            items[position].filename = row.item.filename
            items[position].parent = row.item.parent
            askLater(item.identifier)
        }
        return items
    }

    private func askLater(_ identifier: String) {
        clock.run(after: Self.pause) { [weak self] in
            self?.perform { engine in
                guard !engine.isClosed else { return }
                engine.askSoon([identifier])
            }
        }
    }
}

/// A name that an item has at the provider for a while.
struct NameInBetween {
    let name: String
    /// Until when the provider may tell of it; seconds since 1970. `nil` for as long as the item has it.
    var end: Double?
}

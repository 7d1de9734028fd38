import FileProvider

extension IndexWriter {
    /// Sets facts of an item here; nothing happens where there is no such item.
    package mutating func setFacts(
        _ kinds: FactKinds, of number: ItemNumber, _ values: ItemFacts
    ) throws(IndexFailure) {
        guard try state.queries.withRow(number, { (_) throws(IndexFailure) in true }) == true else { return }
        try state.facts.set(number, kinds, values)
        state.tell(.changed(number, contents: false))
    }

    /// The provider has facts that were set here.
    package mutating func settleFacts(_ kinds: FactKinds, of number: ItemNumber) throws(IndexFailure) {
        try state.facts.settle(number, kinds)
    }

    /// An item was used here; seconds since 1970.
    package mutating func noteUse(of number: ItemNumber, at time: Double) throws(IndexFailure) {
        guard try state.queries.withRow(number, { (_) throws(IndexFailure) in true }) == true else { return }
        try state.facts.noteUse(number, time)
    }

    /// What was noted for the search up to a mark is in it.
    package mutating func forgetRenamed(upTo mark: Int64) throws(IndexFailure) {
        let statement = try state.connection.statement("DELETE FROM renamed WHERE mark <= ?1")
        statement.bind(1, mark)
        try statement.run()
    }
}

import FileProvider

extension IndexWriter {
    /// Sets user metadata of an item locally; does nothing if the item does not exist.
    package mutating func setFacts(
        _ kinds: FactKinds, of number: ItemNumber, _ values: ItemFacts
    ) throws(IndexFailure) {
        guard try state.queries.withRow(number, { (_) throws(IndexFailure) in true }) == true else { return }
        try state.facts.set(number, kinds, values)
        state.tell(.changed(number, contents: false))
    }

    /// Confirms user metadata that was set locally and that the provider now has.
    package mutating func settleFacts(_ kinds: FactKinds, of number: ItemNumber) throws(IndexFailure) {
        try state.facts.settle(number, kinds)
    }

    /// Records a local use of an item, in seconds since 1970.
    package mutating func noteUse(of number: ItemNumber, at time: Double) throws(IndexFailure) {
        guard try state.queries.withRow(number, { (_) throws(IndexFailure) in true }) == true else { return }
        try state.facts.noteUse(number, time)
    }

    /// Removes the records of changed search terms up to a mark: the search index has them.
    package mutating func forgetRenamed(upTo mark: Int64) throws(IndexFailure) {
        let statement = try state.connection.statement("DELETE FROM renamed WHERE mark <= ?1")
        statement.bind(1, mark)
        try statement.run()
    }
}

extension IndexWriter {
    /// Sets user metadata of an item locally; does nothing if the item does not exist.
    package mutating func setMetadata(
        _ kinds: MetadataKinds, of number: ItemNumber, _ values: ItemMetadata
    ) throws(IndexError) {
        guard try state.queries.withRow(number, { (_) throws(IndexError) in true }) == true else { return }
        try state.metadata.set(number, kinds, values)
        state.recordChange(.changed(number, contents: false))
    }

    /// Confirms user metadata that was set locally and that the provider now has.
    package mutating func reconcileMetadata(_ kinds: MetadataKinds, of number: ItemNumber) throws(IndexError) {
        try state.metadata.settle(number, kinds)
    }

    /// Records a local use of an item, in seconds since 1970.
    package mutating func noteUse(of number: ItemNumber, at time: Double) throws(IndexError) {
        guard try state.queries.withRow(number, { (_) throws(IndexError) in true }) == true else { return }
        try state.metadata.noteUse(number, time)
    }

    /// Removes the records of changed search terms up to a mark, because the search index has these terms now.
    package mutating func forgetRenamed(upTo mark: Int64) throws(IndexError) {
        let statement = try state.connection.statement("DELETE FROM renamed WHERE mark <= ?1")
        statement.bind(1, mark)
        try statement.run()
    }
}

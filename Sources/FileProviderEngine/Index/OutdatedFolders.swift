import FileProvider

/// Folders in which something may have happened that the provider will not tell of by itself: they stand here until each of them has been
/// asked for, also after a crash.
extension IndexWriter {
    /// Whatever was listed may be otherwise by now: each container has an anchor, an empty one where the provider has none.
    package mutating func noteAllOutdated() throws(IndexFailure) {
        let statement = try state.connection.statement(
            "INSERT OR IGNORE INTO outdated SELECT container FROM anchors WHERE container <> ?1")
        statement.bind(1, ProviderItem.workingSetIdentifier)
        try statement.run()
    }

    /// - Parameter isOutdated: whether it is to be asked for, or is as the index says.
    package mutating func setOutdated(_ isOutdated: Bool, _ container: String) throws(IndexFailure) {
        let statement = try state.connection.statement(
            isOutdated
                ? "INSERT OR IGNORE INTO outdated VALUES (?1)" : "DELETE FROM outdated WHERE container = ?1")
        statement.bind(1, container)
        try statement.run()
    }
}

extension Index {
    /// The folders that are to be asked for.
    package func outdatedFolders() throws(IndexFailure) -> [String] {
        try read { queries throws(IndexFailure) in
            let statement = try queries.connection.statement("SELECT container FROM outdated")
            defer { statement.reset() }
            var containers: [String] = []
            while try statement.step() { containers.append(statement.text(0)) }
            return containers
        }
    }
}

import ItemValues

/// Directories that may have changes that the provider does not report. Each stays recorded until it has been
/// enumerated, even across a crash.
extension IndexWriter {
    /// Marks all listed directories as outdated. Each listed directory has an anchor, which is empty if the provider
    /// supplies no anchor.
    package mutating func noteAllOutdated() throws(IndexError) {
        let statement = try state.connection.statement(
            "INSERT OR IGNORE INTO outdated SELECT container FROM anchors WHERE container <> ?1")
        statement.bind(1, ProviderItem.workingSetIdentifier)
        try statement.run()
    }

    /// Marks a directory as outdated, or as up to date.
    ///
    /// - Parameter isOutdated: Whether the directory must be enumerated again.
    package mutating func setOutdated(_ isOutdated: Bool, _ container: String) throws(IndexError) {
        let statement = try state.connection.statement(
            isOutdated
                ? "INSERT OR IGNORE INTO outdated VALUES (?1)" : "DELETE FROM outdated WHERE container = ?1")
        statement.bind(1, container)
        try statement.run()
    }
}

extension Index {
    /// Returns the directories that must be enumerated.
    package func outdatedFolders() throws(IndexError) -> [String] {
        try read { queries throws(IndexError) in
            let statement = try queries.connection.statement("SELECT container FROM outdated")
            defer { statement.reset() }
            var containers: [String] = []
            while try statement.step() { containers.append(statement.text(0)) }
            return containers
        }
    }
}

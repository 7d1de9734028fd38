extension FileTypes {
    /// The same as ``type(ofName:)`` with what is declared now: from memory where a single pattern of the database
    /// decides that was met before, because then the type depends on nothing else.
    static func quickType(ofName name: String) -> UTType? {
        TypeRegistry.refreshIfDue()
        guard let database = MIMEDatabase.shared, let pattern = database.solePattern(forFileName: name) else {
            return withCurrent { $0.type(ofName: name) }
        }
        return TypeRegistry.withCurrent { snapshot in
            // What bundles declare goes by the name's extensions before any pattern is asked.
            let mayRemember = !snapshot.hasBundleExtensions
            if mayRemember, let known = snapshot.patternTypes[pattern] { return UTType(identity: known) }
            let mapping = MIMEMapping(database: database, snapshot: snapshot)
            let type = FileTypes(snapshot: snapshot, mapping: mapping).type(ofName: name)
            if mayRemember, let type {
                snapshot.patternTypes.store(type.identity, for: pattern, of: database.fileNames.patternCount)
            }
            return type
        }
    }
}

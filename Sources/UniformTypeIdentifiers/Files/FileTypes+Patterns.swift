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
            if mayRemember, let known = snapshot.patternTypes.load()?[pattern] { return UTType(identity: known) }
            let mapping = MIMEMapping(database: database, snapshot: snapshot)
            let type = FileTypes(snapshot: snapshot, mapping: mapping).type(ofName: name)
            if mayRemember, let type {
                table(snapshot.patternTypes, database).store(type.identity, for: pattern)
            }
            return type
        }
    }

    /// The type of files with an extension that nobody declares, which has to conform to data: what `make` makes of it,
    /// remembered for the extensions that the database has a pattern for.
    static func rememberedType(ofExtension name: String, _ make: () -> UTType?) -> UTType? {
        guard let database = MIMEDatabase.shared, let pattern = database.solePattern(forExtension: name) else {
            return make()
        }
        return TypeRegistry.withCurrent { snapshot in
            if let known = snapshot.extensionTypes.load()?[pattern] { return UTType(identity: known) }
            let type = make()
            if let type {
                table(snapshot.extensionTypes, database).store(type.identity, for: pattern)
            }
            return type
        }
    }

    private static func table(
        _ place: borrowing StoredOnce<PatternTypes>, _ database: MIMEDatabase
    ) -> PatternTypes {
        place.load() ?? place.storeIfNil(PatternTypes(count: database.fileNames.patternCount))
    }
}

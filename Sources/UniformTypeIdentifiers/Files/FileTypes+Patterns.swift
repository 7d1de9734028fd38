extension FileTypes {
    /// Returns the same as ``type(ofName:)`` with the present declarations. The result is cached if a single pattern
    /// of the database decides, because the type then depends on nothing else.
    static func quickType(ofName name: String) -> UTType? {
        TypeRegistry.refreshIfDue()
        guard let database = MIMEDatabase.shared, let pattern = database.solePattern(forFileName: name) else {
            return withCurrent { $0.type(ofName: name) }
        }
        return TypeRegistry.withCurrent { snapshot in
            // If bundles declare extensions, the type does not depend on the pattern alone, because declarations
            // precede patterns.
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

    /// Returns the type of files with an undeclared extension: the result of `make`, which is cached if the database
    /// has a pattern for the extension. The result must conform to `public.data`.
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

/// A cache of the types of files that match a pattern of the database, in one snapshot of the declarations. It is
/// indexed by the pattern's number, so a cached type is found with one access.
final class PatternTypes: @unchecked Sendable {
    // Sendable: the pointer never changes, and each cell is safe to read and to fill from any thread.
    private let cells: UnsafeMutableBufferPointer<StoredOnce<TypeIdentity>>

    /// Creates an empty cache for pattern numbers below `count`.
    init(count: Int) {
        cells = .allocate(capacity: count)
        for index in cells.indices { cells.initializeElement(at: index, to: StoredOnce()) }
    }

    deinit {
        cells.deinitialize()
        cells.deallocate()
    }

    @inline(__always)
    subscript(_ pattern: Int) -> TypeIdentity? { cells[pattern].load() }

    /// Stores a type for a pattern, unless another thread has stored one before.
    func store(_ type: TypeIdentity, for pattern: Int) {
        _ = cells[pattern].storeIfNil(type)
    }
}

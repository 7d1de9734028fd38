import Synchronization

/// All declarations at one moment. Immutable, so that any number of threads can read it without a lock.
package final class TypeSnapshot: Sendable {
    /// The identities and properties by index; the types of the system come first.
    package let identities: [TypeIdentity]
    package let properties: [TypeProperties]
    let faults: [DeclarationError]

    /// The table of ``aliases(in:)``, after it was computed.
    let aliasTable = StoredOnce<AliasTable>()
    /// The types that ``FileTypes/quickType(ofName:)`` has cached.
    let patternTypes = StoredOnce<PatternTypes>()
    /// The types that ``FileTypes/rememberedType(ofExtension:_:)`` has cached.
    let extensionTypes = StoredOnce<PatternTypes>()

    private let core = CoreTypes.shared
    /// Types that bundles declare in addition to the system's, and their tags. Searched before the tables of the
    /// system.
    private let identifiers: FoldedIndex
    private let extensions: FoldedIndex
    private let mimeTypes: FoldedIndex
    /// Tags that bundles add to the system's types, and tags of collections. They are searched after the tables of the
    /// system.
    private let addedExtensions: FoldedIndex
    private let addedMIMETypes: FoldedIndex
    /// The indexes of types by class and tag, for all classes except extensions and MIME types. The tags are compared
    /// exactly.
    private let otherTags: [String: [String: [Int]]]

    /// Builds a snapshot.
    ///
    /// - Parameters:
    ///   - declarations: the declarations in order of precedence: if several have the same identifier, the first is
    ///     used.
    ///   - interned: the identities of declared types that the process ever had; new ones are added.
    ///   - previous: the previous snapshot. Equal parts are shared with it, because it stays in memory.
    package init(
        declarations: [TypeDeclaration], faults: [DeclarationError], interned: inout InternedIdentities,
        previous: TypeSnapshot? = nil
    ) {
        var builder = TypeSnapshotBuilder(interned: interned, previous: previous)
        builder.add(declarations)
        interned = builder.interned
        identities = interned.identities
        properties = builder.properties()
        self.faults = faults + builder.faults
        identifiers = FoldedIndex(strings: builder.identifiers).shared(with: previous?.identifiers)
        extensions = FoldedIndex(strings: builder.extensions).shared(with: previous?.extensions)
        mimeTypes = FoldedIndex(strings: builder.mimeTypes).shared(with: previous?.mimeTypes)
        addedExtensions = FoldedIndex(strings: builder.addedExtensions).shared(with: previous?.addedExtensions)
        addedMIMETypes = FoldedIndex(strings: builder.addedMIMETypes).shared(with: previous?.addedMIMETypes)
        otherTags = builder.otherTags
    }

    /// Returns the index of a type that is declared, or named as a parent.
    package func index(ofIdentifier identifier: String) -> Int? {
        identifiers.first(identifier) ?? core.identifiers.first(identifier)
    }

    /// Returns the index of `identity`'s properties in this snapshot. Declared types always have an index. An
    /// undeclared type has an index if a bundle has declared it since.
    @inline(__always)
    func index(of identity: TypeIdentity) -> Int? {
        identity.index >= 0 ? identity.index : lateIndex(of: identity)
    }

    private func lateIndex(of identity: TypeIdentity) -> Int? {
        guard identity.origin == .undeclared else { return nil }
        return index(ofIdentifier: identity.identifier)
    }

    /// Calls `body` with the index of each declared type that has the tag, preferred types first, until it returns a
    /// result. A type may occur twice.
    @inline(__always)
    package func firstIndex<Result>(
        withTag tag: String, of tagClass: UTTagClass, where body: (Int) -> Result?
    ) -> Result? {
        switch tagClass {
        case .filenameExtension:
            let (own, systems, added) = FoldedIndex.find(tag, in: extensions, core.extensions, addedExtensions)
            return extensions.first(from: own, where: body) ?? core.extensions.first(from: systems, where: body)
                ?? addedExtensions.first(from: added, where: body)
        case .mimeType:
            let (own, systems, added) = FoldedIndex.find(tag, in: mimeTypes, core.mimeTypes, addedMIMETypes)
            return mimeTypes.first(from: own, where: body) ?? core.mimeTypes.first(from: systems, where: body)
                ?? addedMIMETypes.first(from: added, where: body)
        default:
            return otherTags[tagClass.rawValue]?[tag]?.lazy.compactMap(body).first
        }
    }

    /// Returns the index of the first type that a bundle exports with this filename extension.
    func exporterIndex(ofExtension tag: String) -> Int? {
        extensions.first(tag) { properties[$0].isImported ? nil : $0 }
    }

    /// Whether any bundle declares a filename extension.
    var hasBundleExtensions: Bool { !extensions.isEmpty || !addedExtensions.isEmpty }

    /// Returns the type that a bundle, rather than the system, declares for a filename extension; nil if there is none.
    func bundleType(ofExtension tag: String, conformingTo supertype: UTType) -> UTType? {
        func accepted(_ index: Int) -> UTType? {
            accepts(index, conformingTo: supertype) ? UTType(identity: identities[index]) : nil
        }
        if let type = extensions.first(tag, where: accepted) { return type }
        return core.extensions.first(tag) == nil ? addedExtensions.first(tag, where: accepted) : nil
    }
}

/// The identities of declared types. They exist as long as the process, so that a program's types stay comparable
/// across reloads. Each identifier that a bundle ever declared or named as a parent adds one identity, up to ``most``.
package struct InternedIdentities: Sendable {
    var identities = CoreTypes.shared.identities
    private var indexes: [String: Int] = [:]

    /// The maximum number of identities besides the system's own. It is seventeen times the number of the system's
    /// types. The properties of so many types use a few megabytes.
    package static let most = 1 << 14

    package init() {}

    /// Returns the index of `identifier`, which must not be one of the system's; nil for a new identifier beyond the
    /// limit.
    mutating func index(of identifier: String) -> Int? {
        if let index = indexes[identifier] {
            return index
        }
        guard indexes.count < Self.most else { return nil }
        let index = identities.count
        identities.append(TypeIdentity(declared: identifier, index: index))
        indexes[identifier] = index
        return index
    }
}

/// A reference that can be set once, like `AtomicLazyReference`, but inlined by the compiler. (`AtomicLazyReference`
/// calls into its library and requests metadata from the runtime, which takes ten times as long as the load.)
struct StoredOnce<Instance: AnyObject & Sendable>: ~Copyable, Sendable {
    private let storage = Atomic<Unmanaged<Instance>?>(nil)

    deinit {
        storage.load(ordering: .acquiring)?.release()
    }

    /// Returns the stored instance, or nil. The instance is never replaced, so it is valid as long as this value
    /// exists.
    @inline(__always)
    func load() -> Instance? {
        storage.load(ordering: .acquiring)?.takeUnretainedValue()
    }

    /// Stores `instance`, unless another one is stored. Returns the stored one.
    func storeIfNil(_ instance: Instance) -> Instance {
        let retained = Unmanaged.passRetained(instance)
        let (exchanged, original) = storage.compareExchange(
            expected: nil, desired: retained, ordering: .acquiringAndReleasing)
        if exchanged {
            return instance
        }
        retained.release()
        return original?.takeUnretainedValue() ?? instance
    }
}

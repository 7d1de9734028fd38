/// All that is declared at one moment. Immutable, so that any number of threads read it without a lock.
package final class TypeSnapshot: Sendable {
    /// By index; the types of the system come first.
    package let identities: [TypeIdentity]
    package let facts: [TypeFacts]
    /// What bundles declared, in order of precedence.
    let declarations: [TypeDeclaration]
    let faults: [DeclarationFault]

    /// See ``aliases(in:)``.
    let aliasTable = StoredOnce<AliasTable>()
    /// See ``FileTypes/quickType(ofName:)``.
    let patternTypes = StoredOnce<PatternTypes>()
    /// See ``FileTypes/rememberedType(ofExtension:_:)``.
    let extensionTypes = StoredOnce<PatternTypes>()

    private let core = CoreTypes.shared
    /// What bundles declared beyond the system's types. Looked at before the tables of the system.
    private let identifiers: FoldedIndex
    private let extensions: FoldedIndex
    private let mimeTypes: FoldedIndex
    /// Tags of classes other than the two above, which compare exactly: class, tag, indexes.
    private let otherTags: [String: [String: [Int]]]
    /// Extensions of types that a bundle exports, for ``UTType/init(importedAs:conformingTo:)``.
    private let exportedExtensions: FoldedIndex

    /// Builds a snapshot.
    ///
    /// - Parameters:
    ///   - declarations: in order of precedence: of two for one identifier the first counts.
    ///   - interned: the identities of declared types that the process ever had; those that are new are added.
    package init(declarations: [TypeDeclaration], faults: [DeclarationFault], interned: inout InternedIdentities) {
        var builder = TypeSnapshotBuilder(interned: interned)
        builder.add(declarations)
        interned = builder.interned
        identities = interned.identities
        facts = builder.facts()
        self.declarations = declarations
        self.faults = faults
        identifiers = FoldedIndex(strings: builder.identifiers)
        extensions = FoldedIndex(strings: builder.extensions)
        mimeTypes = FoldedIndex(strings: builder.mimeTypes)
        exportedExtensions = FoldedIndex(strings: builder.exportedExtensions)
        otherTags = builder.otherTags
    }

    /// The index of a type that is declared, or named as a parent.
    package func index(ofIdentifier identifier: String) -> Int? {
        identifiers.first(identifier) ?? core.identifiers.first(identifier)
    }

    /// The index under which `identity` has facts here: always for declared types, for an undeclared one if a bundle
    /// has come to declare it since.
    @inline(__always)
    func index(of identity: TypeIdentity) -> Int? {
        identity.index >= 0 ? identity.index : lateIndex(of: identity)
    }

    private func lateIndex(of identity: TypeIdentity) -> Int? {
        guard identity.origin == .undeclared else { return nil }
        return index(ofIdentifier: identity.identifier)
    }

    /// Calls `body` with the index of each declared type that has the tag, preferred ones first, until it returns a
    /// result. A type can come twice.
    @inline(__always)
    package func firstIndex<Result>(
        withTag tag: String, of tagClass: UTTagClass, where body: (Int) -> Result?
    ) -> Result? {
        switch tagClass {
        case .filenameExtension:
            return extensions.first(tag, where: body) ?? core.extensions.first(tag, where: body)
        case .mimeType:
            return mimeTypes.first(tag, where: body) ?? core.mimeTypes.first(tag, where: body)
        default:
            return otherTags[tagClass.rawValue]?[tag]?.lazy.compactMap(body).first
        }
    }

    /// The index of the first type that a bundle exports with this filename extension.
    func exporterIndex(ofExtension tag: String) -> Int? {
        exportedExtensions.first(tag)
    }

    /// Whether any bundle declares a filename extension.
    var hasBundleExtensions: Bool { !extensions.isEmpty }

    /// The type that a bundle, rather than the system, declares for a filename extension.
    func bundleType(ofExtension tag: String, conformingTo supertype: UTType) -> UTType? {
        extensions.first(tag) { index in
            accepts(index, conformingTo: supertype) ? UTType(identity: identities[index]) : nil
        }
    }
}

/// The identities of declared types, which live as long as the process: types held by a program stay comparable across
/// reloads. Grows with the number of different identifiers that bundles ever declared.
package struct InternedIdentities: Sendable {
    var identities = CoreTypes.shared.identities
    private var indexes: [String: Int] = [:]

    package init() {}

    /// The index of `identifier`, which is not one of the system's.
    mutating func index(of identifier: String) -> Int {
        if let index = indexes[identifier] {
            return index
        }
        let index = identities.count
        identities.append(TypeIdentity(declared: identifier, index: index))
        indexes[identifier] = index
        return index
    }
}

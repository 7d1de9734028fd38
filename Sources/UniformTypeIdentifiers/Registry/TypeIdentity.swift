/// What a ``UTType`` points at: an identifier, and where its meaning comes from.
///
/// A declared type has one identity for the whole life of the process: its facts (tags, parents, description) are
/// looked up in the registry's current snapshot by `index`, so a type held across a reload follows the declarations.
/// Identities of other types are made as they are asked for, and compared by identifier.
package final class TypeIdentity: Sendable {
    enum Origin: Sendable {
        /// Declared by the system or by a bundle, now or earlier in this process.
        case declared
        /// Asked for with `exportedAs` or `importedAs` and declared by nobody.
        case undeclared
        /// Made from a tag that no declared type has.
        case dynamic
    }

    package let identifier: String
    /// The number of the type's facts in every snapshot that is not older than the identity; -1 if not declared.
    let index: Int
    let origin: Origin
    /// What a type that nobody declares conforms to.
    let assumedParent: UTType?
    /// What the identifier of a dynamic type says.
    let payload: DynamicIdentifier?
    /// The facts of a dynamic type, once somebody asked for them.
    private let madeFacts = StoredOnce<DynamicFacts>()

    init(declared identifier: String, index: Int) {
        self.identifier = identifier
        self.index = index
        origin = .declared
        assumedParent = nil
        payload = nil
    }

    init(undeclared identifier: String, parent: UTType) {
        self.identifier = identifier
        index = -1
        origin = .undeclared
        assumedParent = parent
        payload = nil
    }

    init(dynamic payload: DynamicIdentifier, identifier: String) {
        self.identifier = identifier
        index = -1
        origin = .dynamic
        assumedParent = nil
        self.payload = payload
    }

    /// The facts of a dynamic type; none of a declared one.
    var dynamicFacts: DynamicFacts? {
        if let made = madeFacts.load() {
            return made
        }
        return payload.map { madeFacts.storeIfNil(DynamicFacts($0)) }
    }
}

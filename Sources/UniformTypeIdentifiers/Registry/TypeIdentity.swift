/// The object that a ``UTType`` refers to: an identifier, and its ``Origin``.
///
/// A declared type has one identity for the whole life of the process. Its properties (tags, parents, description) are
/// looked up in the registry's current snapshot by `index`, so a type that exists during a reload follows the new
/// declarations. Identities of other types are made on request, and compared by identifier.
package final class TypeIdentity: Sendable {
    enum Origin: Sendable {
        /// Declared by the system or by a bundle, now or earlier in this process.
        case declared
        /// Requested with `exportedAs` or `importedAs` and not declared.
        case undeclared
        /// Made from a tag that no declared type has.
        case dynamic
    }

    package let identifier: String
    /// The index of the type's properties in every snapshot since the identity was created; -1 if the type is not
    /// declared.
    let index: Int
    let origin: Origin
    /// The type that an undeclared type conforms to.
    let assumedParent: UTType?
    /// The decoded identifier of a dynamic type.
    let payload: DynamicIdentifier?
    /// The properties of a dynamic type, after they were requested for the first time.
    private let madeProperties = StoredOnce<DynamicTypeProperties>()

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

    /// The properties of a dynamic type; nil for any other type.
    var dynamicProperties: DynamicTypeProperties? {
        if let made = madeProperties.load() {
            return made
        }
        return payload.map { madeProperties.storeIfNil(DynamicTypeProperties($0)) }
    }
}

extension UTType {
    /// Creates a type that this program itself declares, under `UTExportedTypeDeclarations` of its property list.
    ///
    /// - Parameters:
    ///   - identifier: the declared identifier.
    ///   - parentType: the supertype of the result if the identifier is undeclared; nil means `public.data`.
    /// - Returns: the declared type. If the declaration is missing, an undeclared type with this identifier, which can
    ///   be used in the same way. Its ``isDeclared`` is `false`.
    public init(exportedAs identifier: String, conformingTo parentType: UTType? = nil) {
        self =
            UTType(identifier)
            ?? UTType(identity: TypeIdentity(undeclared: identifier, parent: parentType ?? .data))
    }

    /// Creates a type that this program uses and another program declares.
    ///
    /// - Parameters:
    ///   - identifier: the identifier, declared under `UTImportedTypeDeclarations` in case its owner is not installed.
    ///   - parentType: the supertype of the result if the identifier is undeclared; nil means `public.data`.
    /// - Returns: the declared type. If all declarations of the identifier are imported, and a bundle exports another
    ///   type with the same preferred filename extension, returns the exported type, because it owns the files. Without
    ///   a declaration, returns an undeclared type with this identifier, which can be used in the same way.
    public init(importedAs identifier: String, conformingTo parentType: UTType? = nil) {
        let type = UTType(exportedAs: identifier, conformingTo: parentType)
        let owner = TypeRegistry.withCurrent { snapshot -> UTType? in
            guard let index = snapshot.index(of: type.identity), snapshot.properties[index].isImported,
                let preferred = snapshot.properties[index].extensions.first,
                let owner = snapshot.exporterIndex(ofExtension: preferred)
            else { return nil }
            return UTType(identity: snapshot.identities[owner])
        }
        self = owner ?? type
    }
}

extension UTType {
    /// Descriptions of the faulty type declarations that this process left out, each with its source: the program's own
    /// `Info.plist` or a registered bundle.
    ///
    /// An addition of Purvey's, for programs whose types are unexpectedly undeclared. The faults are not logged. May be
    /// called from any thread.
    public static var declarationFaults: [String] {
        TypeRegistry.refreshIfDue()
        return TypeRegistry.faults.map(\.description)
    }
}

extension UTType {
    /// A type that the program declares itself, under `UTExportedTypeDeclarations` of its property list.
    ///
    /// - Parameters:
    ///   - identifier: the declared identifier.
    ///   - parentType: what the type conforms to if nobody declares it; then nil means `public.data`.
    /// - Returns: the declared type. Where the declaration is missing, a type with this identifier that can be used all
    ///   the same; ``isDeclared`` tells.
    public init(exportedAs identifier: String, conformingTo parentType: UTType? = nil) {
        self =
            UTType(identifier)
            ?? UTType(identity: TypeIdentity(undeclared: identifier, parent: parentType ?? .data))
    }

    /// A type that another program declares and this one uses.
    ///
    /// - Parameters:
    ///   - identifier: the identifier, declared under `UTImportedTypeDeclarations` for when its owner is not installed.
    ///   - parentType: what the type conforms to if nobody declares it; then nil means `public.data`.
    /// - Returns: the declared type. If the declaration is only an imported one and a bundle exports another type with
    ///   the same preferred filename extension, that type: it owns the files. Where nothing is declared, a type with
    ///   this identifier that can be used all the same.
    public init(importedAs identifier: String, conformingTo parentType: UTType? = nil) {
        let type = UTType(exportedAs: identifier, conformingTo: parentType)
        let owner = TypeRegistry.withCurrent { snapshot -> UTType? in
            guard let index = snapshot.index(of: type.identity), snapshot.facts[index].isImported,
                let preferred = snapshot.facts[index].extensions.first,
                let owner = snapshot.exporterIndex(ofExtension: preferred)
            else { return nil }
            return UTType(identity: snapshot.identities[owner])
        }
        self = owner ?? type
    }
}

extension UTType {
    /// What is wrong with the type declarations that this process reads, one sentence each, with the file it is about:
    /// declarations of the program's own `Info.plist` and of registered bundles that had to be left out.
    ///
    /// An addition of Purvey's, for programs whose types turn out not to be declared; nothing is written anywhere
    /// unasked. May be called from any thread.
    public static var declarationFaults: [String] {
        TypeRegistry.refreshIfDue()
        return TypeRegistry.faults.map(\.description)
    }
}

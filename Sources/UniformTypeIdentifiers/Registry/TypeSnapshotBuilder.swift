/// Lays the declarations of bundles over the types of the system.
///
/// A bundle cannot take anything away from a type of the system: a declaration of one adds parents and tags behind
/// those it has. (Programs import `public.…` types routinely, and not always right.)
struct TypeSnapshotBuilder {
    private(set) var interned: InternedIdentities
    private(set) var identifiers: [(key: String, value: Int)] = []
    private(set) var extensions: [(key: String, value: Int)] = []
    private(set) var mimeTypes: [(key: String, value: Int)] = []
    private(set) var exportedExtensions: [(key: String, value: Int)] = []
    private(set) var otherTags: [String: [String: [Int]]] = [:]

    private let core = CoreTypes.shared
    /// The declaration that counts, by index; for a type of the system, those that add to it.
    private var effective: [Int: [TypeDeclaration]] = [:]
    private var parents: [Int: [Int]] = [:]

    init(interned: InternedIdentities) {
        self.interned = interned
    }

    mutating func add(_ declarations: [TypeDeclaration]) {
        // All identifiers first, so that a parent is found however late, and in whatever case, it is declared.
        var indexes: [String: Int] = [:]
        var accepted: [(index: Int, declaration: TypeDeclaration)] = []
        for declaration in declarations {
            if let index = core.identifiers.first(declaration.identifier) {
                accepted.append((index, declaration))
                continue
            }
            let folded = declaration.identifier.lowercased()
            if indexes[folded] == nil {
                let index = interned.index(of: declaration.identifier)
                indexes[folded] = index
                identifiers.append((declaration.identifier, index))
                accepted.append((index, declaration))
            }
        }
        for (index, declaration) in accepted {
            effective[index, default: []].append(declaration)
            for parent in declaration.parents {
                let folded = parent.lowercased()
                let known = core.identifiers.first(parent) ?? indexes[folded]
                let number = known ?? interned.index(of: parent)
                if known == nil {
                    indexes[folded] = number
                    identifiers.append((parent, number))
                }
                parents[index, default: []].append(number)
            }
            addTags(of: declaration, index)
        }
    }

    private mutating func addTags(of declaration: TypeDeclaration, _ index: Int) {
        for (tagClass, tags) in declaration.tags {
            for tag in tags {
                switch tagClass {
                case UTTagClass.filenameExtension.rawValue:
                    extensions.append((tag, index))
                    if declaration.isExported {
                        exportedExtensions.append((tag, index))
                    }
                case UTTagClass.mimeType.rawValue: mimeTypes.append((tag, index))
                default: otherTags[tagClass, default: [:]][tag, default: []].append(index)
                }
            }
        }
    }

    /// The facts of every identity, by index.
    func facts() -> [TypeFacts] {
        let count = interned.identities.count
        let allParents = (0..<count).map { index in
            let own = index < core.facts.count ? core.facts[index].parents : []
            return own + (parents[index] ?? []).filter { !own.contains($0) && $0 != index }
        }
        // Without a declaration that adds to one of them, the system's types keep the facts they were built with.
        let isCoreUntouched = effective.keys.allSatisfy { $0 >= core.facts.count }
        return (0..<count).map { index in
            if index < core.facts.count, isCoreUntouched {
                return core.facts[index]
            }
            let ancestors = TypeFacts.closure(of: index, parents: { allParents[$0] }, count: count)
            if index < core.facts.count, effective[index] == nil, core.facts[index].reaches(exactly: ancestors) {
                return core.facts[index]
            }
            let base = index < core.facts.count ? core.facts[index] : nil
            return facts(effective[index] ?? [], base, parents: allParents[index], ancestors: ancestors)
        }
    }

    private func facts(
        _ declarations: [TypeDeclaration], _ base: TypeFacts?, parents: [Int], ancestors: [UInt64]
    ) -> TypeFacts {
        var tags: [String: [String]] = [:]
        for (tagClass, list) in declarations.lazy.flatMap(\.tags) {
            tags[tagClass, default: []] += list
        }
        let extensions = tags.removeValue(forKey: UTTagClass.filenameExtension.rawValue) ?? []
        let mimeTypes = tags.removeValue(forKey: UTTagClass.mimeType.rawValue) ?? []
        return TypeFacts(
            isDeclared: base?.isDeclared == true || !declarations.isEmpty,
            isImported: base?.isDeclared != true && declarations.first?.isExported == false,
            parents: parents,
            extensions: Self.merge(base?.extensions ?? [], extensions),
            mimeTypes: Self.merge(base?.mimeTypes ?? [], mimeTypes),
            otherTags: tags,
            description: base?.description ?? declarations.lazy.compactMap(\.description).first,
            version: declarations.lazy.compactMap(\.version).first,
            referenceURL: declarations.lazy.compactMap(\.referenceURL).first,
            bundle: base?.isDeclared == true ? nil : declarations.lazy.compactMap(\.bundle).first,
            ancestors: ancestors)
    }

    /// `first` and then what `second` has beyond it, compared without regard to case.
    private static func merge(_ first: [String], _ second: [String]) -> [String] {
        var seen = Set(first.map { $0.lowercased() })
        return first + second.filter { seen.insert($0.lowercased()).inserted }
    }
}

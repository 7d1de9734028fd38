import Foundation

/// The builder that combines the declarations of bundles with the types of the system.
///
/// A bundle's declaration of one of the system's types cannot remove parents or tags. It adds parents and tags after
/// the system's, and a look-up of a tag finds the system's type first. The reason is that programs often import
/// `public.…` types, sometimes incorrectly, and that a bundle's declarations affect every process of the user. However,
/// the bundle's own types precede the system's, so that a program can claim `txt` for its own type.
struct TypeSnapshotBuilder {
    private(set) var interned: InternedIdentities
    private(set) var identifiers: [(key: String, value: Int)] = []
    private(set) var extensions: [(key: String, value: Int)] = []
    private(set) var mimeTypes: [(key: String, value: Int)] = []
    /// Tags that look-ups find after the system's: additions of bundles to types of the system, and tags of
    /// collections.
    private(set) var addedExtensions: [(key: String, value: Int)] = []
    private(set) var addedMIMETypes: [(key: String, value: Int)] = []
    /// The declarations that were left out.
    private(set) var faults: [DeclarationError] = []
    private(set) var otherTags: [String: [String: [Int]]] = [:]

    private let core = CoreTypes.shared
    /// The declarations that are used for each type, by the type's index. A type of a bundle has one declaration. A
    /// type of the system has all declarations that add to it.
    private var effective: [Int: [TypeDeclaration]] = [:]
    private var parents: [Int: [Int]] = [:]

    /// The previous snapshot, whose unchanged properties are reused.
    private let previous: TypeSnapshot?

    init(interned: InternedIdentities, previous: TypeSnapshot?) {
        self.interned = interned
        self.previous = previous
    }

    mutating func add(_ declarations: [TypeDeclaration]) {
        // All identifiers are collected first, so that a parent is found regardless of case and of the order of the
        // declarations.
        var indexes: [String: Int] = [:]
        var accepted: [(index: Int, declaration: TypeDeclaration)] = []
        for declaration in declarations {
            if let index = core.identifiers.first(declaration.identifier) {
                accepted.append((index, declaration))
                continue
            }
            let folded = declaration.identifier.lowercased()
            if indexes[folded] == nil {
                guard let index = index(of: declaration.identifier, in: declaration) else { continue }
                indexes[folded] = index
                identifiers.append((declaration.identifier, index))
                accepted.append((index, declaration))
            }
        }
        // Declarations that add to the system's types come last, so that their tags follow those of all other types.
        for (index, declaration) in accepted.filter({ !isSystems($0.index) }) + accepted.filter({ isSystems($0.index) })
        {
            effective[index, default: []].append(declaration)
            for parent in declaration.parents {
                let folded = parent.lowercased()
                let known = core.identifiers.first(parent) ?? indexes[folded]
                guard let number = known ?? self.index(of: parent, in: declaration) else { continue }
                if known == nil {
                    indexes[folded] = number
                    identifiers.append((parent, number))
                }
                parents[index, default: []].append(number)
            }
            addTags(of: declaration, index)
        }
    }

    /// Returns the index of an identifier. If there are too many identifiers, records a fault and returns nil.
    private mutating func index(of identifier: String, in declaration: TypeDeclaration) -> Int? {
        if let index = interned.index(of: identifier) { return index }
        if faults.isEmpty {
            faults.append(
                DeclarationError(
                    source: declaration.bundle?.path ?? declaration.identifier,
                    reason: "\(identifier) and others are left out: bundles have named \(InternedIdentities.most) types"
                ))
        }
        return nil
    }

    /// Whether the system declares the type, rather than only naming it as a parent.
    private func isSystems(_ index: Int) -> Bool {
        index < core.properties.count && core.properties[index].isDeclared
    }

    private mutating func addTags(of declaration: TypeDeclaration, _ index: Int) {
        // Whether look-ups find these tags only after the system's.
        let isBehind = isSystems(index) || declaration.yieldsTags
        for (tagClass, tags) in declaration.tags {
            for tag in tags {
                switch tagClass {
                case UTTagClass.filenameExtension.rawValue where isBehind: addedExtensions.append((tag, index))
                case UTTagClass.mimeType.rawValue where isBehind: addedMIMETypes.append((tag, index))
                case UTTagClass.filenameExtension.rawValue: extensions.append((tag, index))
                case UTTagClass.mimeType.rawValue: mimeTypes.append((tag, index))
                default: otherTags[tagClass, default: [:]][tag, default: []].append(index)
                }
            }
        }
    }

    /// Returns the properties of every identity, by index.
    func properties() -> [TypeProperties] {
        let count = interned.identities.count
        // Unless a declaration adds to one of them, the system's types keep their original properties.
        let isCoreUntouched = effective.keys.allSatisfy { $0 >= core.properties.count }
        if isCoreUntouched, count == core.properties.count { return core.properties }
        let allParents = (0..<count).map { index in
            let own = index < core.properties.count ? core.properties[index].parents : []
            return own + (parents[index] ?? []).filter { !own.contains($0) && $0 != index }
        }
        let closure = ConformanceClosure(
            parents: allParents, known: isCoreUntouched ? core.properties.map(\.ancestors) : [])
        return (0..<count).map { index in
            let base = index < core.properties.count ? core.properties[index] : nil
            if let base, effective[index] == nil, base.ancestors == closure.sets[index] { return base }
            let made = properties(
                effective[index] ?? [], base, parents: allParents[index], ancestors: closure.sets[index])
            if let previous, index < previous.properties.count, previous.properties[index] == made {
                return previous.properties[index]
            }
            return made
        }
    }

    private func properties(
        _ declarations: [TypeDeclaration], _ base: TypeProperties?, parents: [Int], ancestors: TypeSet
    ) -> TypeProperties {
        var tags: [String: [String]] = [:]
        for (tagClass, list) in declarations.lazy.flatMap(\.tags) {
            tags[tagClass, default: []] += list
        }
        let extensions = tags.removeValue(forKey: UTTagClass.filenameExtension.rawValue) ?? []
        let mimeTypes = tags.removeValue(forKey: UTTagClass.mimeType.rawValue) ?? []
        return TypeProperties(
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

    /// Returns `first` followed by the elements that only `second` has, compared regardless of case.
    private static func merge(_ first: [String], _ second: [String]) -> [String] {
        var seen = Set(first.map { $0.lowercased() })
        return first + second.filter { seen.insert($0.lowercased()).inserted }
    }
}

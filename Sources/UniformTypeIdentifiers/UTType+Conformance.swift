extension UTType {
    /// Whether this type is `type` or conforms to it, directly or through other types.
    public func conforms(to type: UTType) -> Bool {
        if identity === type.identity {
            return true
        }
        return TypeRegistry.withCurrent { conforms(to: type, in: $0) }
    }

    /// Whether `type` conforms to this type and is another type.
    public func isSupertype(of type: UTType) -> Bool {
        type.isSubtype(of: self)
    }

    /// Whether this type conforms to `type` and is another type.
    public func isSubtype(of type: UTType) -> Bool {
        self != type && conforms(to: type)
    }

    /// All types that this one conforms to, directly or through other types, excluding itself.
    public var supertypes: Set<UTType> { Set(supertypesByDistance) }

    /// The ``supertypes`` in order of distance. Among equally distant types, those declared first come first.
    package var supertypesByDistance: [UTType] {
        TypeRegistry.withCurrent { snapshot in
            var seen: Set<UTType> = [self]
            var result = parents(in: snapshot).filter { seen.insert($0).inserted }
            var next = 0
            while next < result.count {
                result += result[next].parents(in: snapshot).filter { seen.insert($0).inserted }
                next += 1
            }
            return result
        }
    }

    /// The types to which this type directly conforms by its declaration, in the declared order.
    package var directSupertypes: [UTType] { TypeRegistry.withCurrent { parents(in: $0) } }

    /// Returns the types that this one conforms to directly, as declared in the given snapshot.
    func parents(in snapshot: TypeSnapshot) -> [UTType] {
        if let index = snapshot.index(of: identity), snapshot.properties[index].isDeclared {
            return snapshot.properties[index].parents.map { UTType(identity: snapshot.identities[$0]) }
        }
        return identity.assumedParent.map { [$0] } ?? identity.dynamicProperties?.parents ?? []
    }

    @inline(__always)
    func conforms(to type: UTType, in snapshot: TypeSnapshot) -> Bool {
        if let index = snapshot.index(of: identity), snapshot.properties[index].isDeclared {
            if let other = snapshot.index(of: type.identity) {
                return snapshot.properties[index].conforms(to: other)
            }
            return self == type
        }
        return conformsUndeclared(to: type, in: snapshot)
    }

    /// Whether this type, which is not declared in the given snapshot, conforms to `type`.
    private func conformsUndeclared(to type: UTType, in snapshot: TypeSnapshot) -> Bool {
        if let properties = identity.dynamicProperties, properties.isKind(of: type, in: snapshot) {
            return true
        }
        if let parent = identity.assumedParent, parent.conforms(to: type, in: snapshot) {
            return true
        }
        return self == type
    }
}

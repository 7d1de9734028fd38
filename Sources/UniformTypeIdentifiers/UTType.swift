import Foundation

/// A type of data, such as that of a file or of data exchanged between programs, identified by a text such as
/// `public.jpeg`.
///
/// Types form a hierarchy: `public.jpeg` conforms to `public.image`, and so may be used as any image. A type is
/// declared by the system or by a bundle's property list; or it is *dynamic*, made from a tag such as a filename
/// extension that no declared type has. Types are equal if their identifiers are equal.
///
/// ```swift
/// let type = UTType(filenameExtension: "jpg")
/// let isImage = type?.conforms(to: .image) ?? false
/// ```
///
/// All members may be called from any thread. Looking up a type takes no lock.
public struct UTType: Sendable {
    let identity: TypeIdentity

    init(identity: TypeIdentity) {
        self.identity = identity
    }

    /// Creates the declared or dynamic type with the given identifier.
    ///
    /// - Parameter identifier: the identifier, compared regardless of ASCII case; the type has the declared spelling.
    /// - Returns: nil if the identifier is neither declared nor a well-formed dynamic one.
    public init?(_ identifier: String) {
        TypeRegistry.refreshIfDue()
        self.init(known: identifier)
    }

    /// Creates the type with the given identifier, without checking whether bundles' declarations on disk have changed.
    init?(known identifier: String) {
        let declared = TypeRegistry.withCurrent { snapshot -> TypeIdentity? in
            guard let index = snapshot.index(ofIdentifier: identifier), snapshot.properties[index].isDeclared else {
                return nil
            }
            return snapshot.identities[index]
        }
        if let declared {
            self.init(identity: declared)
        } else if let payload = DynamicIdentifier(identifier),
            Tag.isPossible(payload.tag, of: UTTagClass(rawValue: payload.tagClass))
        {
            self.init(identity: TypeIdentity(dynamic: payload, identifier: identifier))
        } else {
            return nil
        }
    }

    init(dynamic payload: DynamicIdentifier) {
        self.init(identity: TypeIdentity(dynamic: payload, identifier: payload.encoded()))
    }

    /// The identifier, such as `public.jpeg`.
    public var identifier: String { identity.identifier }

    /// Creates the type that has a constant with the given Swift name, such as `jpeg`.
    package init?(constant name: String) {
        guard let index = CoreTypes.constants[name] else { return nil }
        self = CoreTypes.type(index)
    }
}

extension UTType: Hashable {
    /// Whether both types have the same identifier.
    public static func == (left: UTType, right: UTType) -> Bool {
        left.identity === right.identity || left.identity.identifier == right.identity.identifier
    }

    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(identity.identifier)
    }
}

extension UTType: CustomStringConvertible, CustomDebugStringConvertible {
    /// The identifier.
    public var description: String { identifier }

    /// The identifier, and whether the type is dynamic or not declared.
    public var debugDescription: String {
        if isDynamic {
            return "\(identifier) (dynamic)"
        }
        return isDeclared ? identifier : "\(identifier) (not declared)"
    }
}

extension UTType: Codable {
    /// Writes the identifier as a single value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(identifier)
    }

    /// Reads an identifier.
    ///
    /// A type that is declared on the machine that encoded it may be undeclared on this machine. It is then created as
    /// by ``init(exportedAs:conformingTo:)``, so that encoding it again writes the same identifier.
    ///
    /// - Throws: `DecodingError.dataCorrupted` if the text is no valid identifier.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let identifier = try container.decode(String.self)
        if let type = UTType(identifier) {
            self = type
        } else if TypeDeclaration.isValid(identifier: identifier) {
            self.init(exportedAs: identifier)
        } else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(identifier)\" is not the identifier of a type.")
        }
    }
}

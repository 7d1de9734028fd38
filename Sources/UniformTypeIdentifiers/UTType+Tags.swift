extension UTType {
    /// Creates the type of files with the given filename extension.
    ///
    /// - Parameters:
    ///   - filenameExtension: the extension without the leading dot, in any case.
    ///   - supertype: the type that the result must conform to.
    /// - Returns: the declared type. If there is none, the type in the freedesktop database; otherwise a dynamic type
    ///   that conforms to `supertype`. nil only if the extension is invalid, for example because it contains a slash.
    public init?(filenameExtension: String, conformingTo supertype: UTType = .data) {
        self.init(tag: filenameExtension, tagClass: .filenameExtension, conformingTo: supertype)
    }

    /// Creates the type of data with the given MIME type.
    ///
    /// - Parameters:
    ///   - mimeType: the MIME type, such as `image/png`, in any case. Parameters (`; charset=…`) are used if a declared
    ///     type has them, and ignored otherwise.
    ///   - supertype: the type that the result must conform to.
    /// - Returns: the declared type. If there is none, the type in the freedesktop database; otherwise a dynamic type
    ///   that conforms to `supertype`. nil only if the MIME type is invalid, for example because it has no slash.
    public init?(mimeType: String, conformingTo supertype: UTType = .data) {
        self.init(tag: mimeType, tagClass: .mimeType, conformingTo: supertype)
    }

    /// Creates the type that has the given tag.
    ///
    /// - Parameters:
    ///   - tag: the tag, such as `png` or `image/png`.
    ///   - tagClass: the class of the tag.
    ///   - supertype: the type that the result must conform to; nil accepts every type.
    /// - Returns: the preferred declared type. If there is none, the type in the freedesktop database; otherwise a
    ///   dynamic type. nil only if the tag is invalid in its class.
    public init?(tag: String, tagClass: UTTagClass, conformingTo supertype: UTType?) {
        TypeRegistry.refreshIfDue()
        let declared = TypeRegistry.withCurrent { snapshot in
            snapshot.firstType(withTag: tag, of: tagClass, conformingTo: supertype)
        }
        if let declared {
            self = declared
            return
        }
        let make = { Tag(tag, of: tagClass)?.undeclaredType(conformingTo: supertype) }
        let isCommon = tagClass == .filenameExtension && supertype == .data
        guard let type = isCommon ? FileTypes.rememberedType(ofExtension: tag, make) : make() else { return nil }
        self = type
    }

    /// Returns all types that have the given tag.
    ///
    /// - Parameters: as for ``init(tag:tagClass:conformingTo:)``.
    /// - Returns: the declared types, the preferred one first. If there are none, one dynamic type. Empty only if the
    ///   tag is invalid in its class.
    public static func types(tag: String, tagClass: UTTagClass, conformingTo supertype: UTType?) -> [UTType] {
        TypeRegistry.refreshIfDue()
        var declared: [UTType] = []
        TypeRegistry.withCurrent { snapshot in
            let _: Never? = snapshot.firstIndex(withTag: tag, of: tagClass) { index in
                let type = UTType(identity: snapshot.identities[index])
                if snapshot.accepts(index, conformingTo: supertype), !declared.contains(type) {
                    declared.append(type)
                }
                return nil
            }
        }
        if !declared.isEmpty {
            return declared
        }
        guard let tag = Tag(tag, of: tagClass) else { return [] }
        return [tag.undeclaredType(conformingTo: supertype)]
    }
}

extension TypeSnapshot {
    /// Returns the preferred declared type that has the tag and conforms to `supertype`; nil if there is none.
    @inline(__always)
    package func firstType(withTag tag: String, of tagClass: UTTagClass, conformingTo supertype: UTType?) -> UTType? {
        firstIndex(withTag: tag, of: tagClass) { index in
            accepts(index, conformingTo: supertype) ? UTType(identity: identities[index]) : nil
        }
    }

    @inline(__always)
    func accepts(_ index: Int, conformingTo supertype: UTType?) -> Bool {
        guard let supertype else { return true }
        if let other = self.index(of: supertype.identity) {
            return properties[index].conforms(to: other)
        }
        return UTType(identity: identities[index]) == supertype
    }
}

/// A kind of tag, such as filename extensions or MIME types. Tags determine the type of files and data that have no
/// type identifier.
///
/// Its raw value is itself the identifier of a type.
public struct UTTagClass: RawRepresentable, Sendable {
    /// The type of the raw value.
    public typealias RawValue = String

    /// The identifier of the tag class.
    public let rawValue: String

    /// Creates a tag class with the given identifier. Every identifier is accepted.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

extension UTTagClass {
    /// Filename extensions, without the leading dot: `public.filename-extension`.
    public static var filenameExtension: UTTagClass { UTTagClass(rawValue: "public.filename-extension") }

    /// MIME types: `public.mime-type`.
    public static var mimeType: UTTagClass { UTTagClass(rawValue: "public.mime-type") }
}

extension UTTagClass: Hashable, Codable {}

extension UTTagClass: CustomStringConvertible, CustomDebugStringConvertible {
    /// The raw value.
    public var description: String { rawValue }

    /// The raw value.
    public var debugDescription: String { rawValue }
}

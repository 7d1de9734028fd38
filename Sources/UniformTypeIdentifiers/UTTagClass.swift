/// A kind of tag that identifies the type of files and data without type identifiers, such as filename extensions.
///
/// Its raw value is itself the identifier of a type.
public struct UTTagClass: RawRepresentable, Sendable {
    /// The type of the raw value.
    public typealias RawValue = String

    /// The identifier of the tag class.
    public let rawValue: String

    /// Creates the tag class of an identifier; any is accepted.
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

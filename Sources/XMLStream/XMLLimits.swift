/// The limits within which a document is read. A document that exceeds them causes an error.
public struct XMLLimits: Sendable {
    /// The maximum depth of nested elements.
    public var depth = 64
    /// The bytes of the whole document. A listing of 200,000 files has about 200 MB.
    public var size = 1 << 30
    /// The maximum number of attributes of one element, without declarations of namespaces.
    public var attributes = 64
    /// The maximum number of bytes of one run of text, and of all attribute values of one element together.
    public var text = 1 << 20
    /// The maximum number of bytes of one name with its namespace.
    public var name = 1_024

    /// Creates the usual bounds.
    public init() {}
}

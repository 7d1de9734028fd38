/// The bounds within which a document is read. One that exceeds them is an error.
public struct XMLLimits: Sendable {
    /// The number of elements within each other.
    public var depth = 64
    /// The bytes of the whole document. A listing of 200,000 files has about 200 MB.
    public var size = 1 << 30
    /// The number of attributes of one element, declarations of namespaces not included.
    public var attributes = 64
    /// The bytes of one run of text, and of the values of one element's attributes together.
    public var text = 1 << 20
    /// The bytes of one name with its namespace.
    public var name = 1_024

    /// Creates the usual bounds.
    public init() {}
}

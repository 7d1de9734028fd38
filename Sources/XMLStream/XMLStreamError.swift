/// The reason why a document cannot be read. The description is one sentence.
public enum XMLStreamError: Error, Equatable {
    /// The document is not well-formed. The values are the parser's reason, and the number of the line, from 1.
    case malformed(String, line: Int)
    /// The document has a document type. Such a document could define entities that grow without limit or read other
    /// files. The value is the name of the document type, which shows, for example, that the document is a web page.
    case documentType(String)
    /// The document ended before the end of its root element.
    case incomplete
    /// The document exceeds a limit of ``XMLLimits``. The value says which.
    case limit(Limit)
    /// The process has no memory for the parser.
    case outOfMemory

    /// The limits of a document.
    public enum Limit: String, Sendable {
        case depth, size, attributes, text, name
    }
}

extension XMLStreamError: CustomStringConvertible {
    /// A sentence that begins with a small letter and has no period at the end.
    public var description: String {
        switch self {
        case .malformed(let reason, let line): "the XML is malformed in line \(line): \(reason)"
        case .documentType(let name) where name.lowercased() == "html": "a web page came in place of XML"
        case .documentType(let name): "the XML has a document type, “\(name.prefix(80))”, which is not allowed"
        case .incomplete: "the XML ended too early"
        case .limit(.depth): "the XML has too many elements within each other"
        case .limit(.size): "the XML is too long"
        case .limit(.attributes): "an element of the XML has too many attributes"
        case .limit(.text): "a text of the XML is too long"
        case .limit(.name): "a name of the XML is too long"
        case .outOfMemory: "there is no memory to read the XML"
        }
    }
}

/// The limits within which a document is read. A document that exceeds them causes an error.
public struct XMLLimits: Sendable {
    /// The maximum depth of nested elements.
    public var depth = 64
    /// The maximum number of bytes of the whole document. A listing of 200,000 files has about 200 MB.
    public var size = 1 << 30
    /// The maximum number of attributes of one element, without declarations of namespaces.
    public var attributes = 64
    /// The maximum number of bytes of one run of text, and of all attribute values of one element together.
    public var text = 1 << 20
    /// The maximum number of bytes of one name with its namespace.
    public var name = 1_024

    /// Creates the default limits.
    public init() {}
}

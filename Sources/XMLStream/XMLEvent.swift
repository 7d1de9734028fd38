/// A step in the reading of a document.
public enum XMLEvent: Equatable, Sendable {
    /// An element begins.
    case start(XMLName, [XMLName: String])
    /// A run of text within an element, whole: references are resolved, and CDATA sections, comments and the borders
    /// of pieces do not divide it.
    case text(String)
    /// An element ends. An empty element has a beginning and an end, too.
    case end(XMLName)
}

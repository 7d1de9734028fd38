import XMLStream

/// A builder of XML elements from a parser's events.
///
/// It returns each element at a certain depth when the element ends, and then drops it. A long reply therefore only
/// needs the memory of its largest element.
package struct DAVTreeBuilder {
    /// The elements at the wanted depth and deeper that have begun but not ended, outermost first.
    private var open: [DAVElement] = []
    private var depth = 0
    private let wanted: Int
    /// The size in bytes of the element at the wanted depth that is being read.
    private var size = 0
    /// The name of the document's root element; `nil` before it has begun.
    private(set) var root: XMLName?

    /// The maximum size in bytes of one element at the wanted depth. Each of its descendants counts as ``elementSize``
    /// bytes.
    static let limit = 1 << 20
    private static let elementSize = 64

    /// - Parameter depth: the depth of the elements to return: 0 for the root element, 1 for its children.
    init(depth: Int) { wanted = depth }

    /// Processes the parser's next events.
    ///
    /// - Returns: the elements at the wanted depth that end with these events.
    mutating func read(_ events: [XMLEvent]) throws(XMLStreamError) -> [DAVElement] {
        var ended: [DAVElement] = []
        for event in events {
            switch event {
            case .start(let name, _):
                if depth == 0 { root = name }
                if depth == wanted { size = 0 }
                if depth >= wanted { open.append(DAVElement(name)) }
                try grow(Self.elementSize)
                depth += 1
            case .text(let text):
                guard let last = open.indices.last else { continue }
                try grow(text.utf8.count)
                open[last].text += text
            case .end:
                depth -= 1
                guard let element = open.popLast() else { continue }
                if let parent = open.indices.last {
                    open[parent].children.append(element)
                } else {
                    ended.append(element)
                }
            }
        }
        return ended
    }

    private mutating func grow(_ count: Int) throws(XMLStreamError) {
        size += count
        if depth >= wanted, size > Self.limit { throw .limit(.size) }
    }

    /// Returns the root element of a short document.
    package static func document(_ bytes: [UInt8]) throws(XMLStreamError) -> DAVElement {
        let parser = try XMLStreamParser()
        var builder = DAVTreeBuilder(depth: 0)
        let elements = try builder.read(try parser.parse(bytes))
        try parser.finish()
        guard let element = elements.first else { throw .incomplete }
        return element
    }
}

/// An element of a reply, with its descendants.
public struct DAVElement: Sendable, Equatable {
    /// The name.
    public let name: XMLName
    /// The element's own text, without that of its descendants.
    public internal(set) var text = ""
    /// The child elements, in order.
    public internal(set) var children: [DAVElement] = []

    init(_ name: XMLName) { self.name = name }

    /// Creates an element with a text.
    package init(_ name: XMLName, text: String) {
        self.name = name
        self.text = text
    }

    /// Returns the first child with the given local name in WebDAV's namespace; `nil` if there is none.
    public func child(_ local: String) -> DAVElement? { children.first { $0.name == .dav(local) } }

    /// The text of the element and its descendants.
    package var wholeText: String { text + children.map(\.wholeText).joined(separator: " ") }
}

extension XMLName {
    /// Returns a name in the namespace of WebDAV.
    package static func dav(_ local: String) -> XMLName { XMLName("DAV:", local) }
}

/// The document element of an XML document: enough of it to tell documents of different vocabularies apart.
///
/// Reads UTF-8, and every encoding that agrees with ASCII, from the first bytes of a document. It checks nothing, and
/// gives `nil` for whatever it does not understand.
struct XMLRootElement: Hashable {
    /// The element's name without its prefix.
    let localName: String
    /// The namespace that the element is in; empty where it is in none.
    let namespace: String

    /// Finds the first element of a document.
    init?(_ document: UnsafeRawBufferPointer) {
        var scanner = XMLScanner(document)
        guard scanner.skipProlog(), let name = scanner.name() else { return nil }
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let declaration = parts.count == 2 ? "xmlns:" + parts[0] : "xmlns"
        var namespace = ""
        while let attribute = scanner.attribute() {
            if attribute.name == declaration { namespace = attribute.value }
        }
        self.localName = parts.last.map { String($0) } ?? name
        self.namespace = namespace
    }

    init(localName: String, namespace: String) {
        self.localName = localName
        self.namespace = namespace
    }
}

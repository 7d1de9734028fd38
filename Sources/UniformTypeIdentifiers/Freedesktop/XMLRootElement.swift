/// The root element of an XML document: enough of it to distinguish documents of different vocabularies.
///
/// Reads UTF-8, and every encoding that agrees with ASCII, from the first bytes of a document. It does not validate,
/// and returns `nil` for anything that it does not understand.
struct XMLRootElement: Hashable {
    /// The element's name without its prefix.
    let localName: String
    /// The namespace of the element; empty if it has none.
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

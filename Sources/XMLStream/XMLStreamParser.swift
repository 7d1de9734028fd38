import CExpat

/// A parser of documents that come in pieces of any size, as from a network.
///
///     let parser = try XMLStreamParser()
///     while let bytes = try await stream.next() {
///         for event in try parser.parse(bytes) { … }
///     }
///     try parser.finish()
///
/// It stores at most one run of text of the document. Documents cannot define entities, and other files are never
/// loaded. After an error, every call fails with the same error.
public final class XMLStreamParser {
    /// The character between namespace and name in expat's names. No document can contain it.
    private static let separator: CChar = 1

    private let parser: XML_Parser
    private let limits: XMLLimits
    private var events: [XMLEvent] = []
    /// The run of text so far.
    private var text: [UInt8] = []
    private var depth = 0
    private var count = 0
    private var failure: XMLStreamError?
    private var names = NameCache()

    /// Creates a parser of one document.
    public init(limits: XMLLimits = XMLLimits()) throws(XMLStreamError) {
        guard let parser = XML_ParserCreateNS(nil, Self.separator) else { throw .outOfMemory }
        self.parser = parser
        self.limits = limits
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(parser, Self.start, Self.end)
        XML_SetCharacterDataHandler(parser, Self.characters)
        XML_SetStartDoctypeDeclHandler(parser, Self.documentType)
    }

    deinit { XML_ParserFree(parser) }

    /// Reads the next piece of the document.
    ///
    /// - Returns: the events that this piece completes, in order.
    public func parse(_ bytes: [UInt8]) throws(XMLStreamError) -> [XMLEvent] {
        try read(bytes, isLast: false)
    }

    /// Ends the document.
    ///
    /// - Throws: ``XMLStreamError/incomplete`` if the document's root element has not ended.
    public func finish() throws(XMLStreamError) {
        _ = try read([], isLast: true)
    }

    private func read(_ bytes: [UInt8], isLast: Bool) throws(XMLStreamError) -> [XMLEvent] {
        if let failure { throw failure }
        count += bytes.count
        if count > limits.size { fail(.limit(.size)) }
        // expat takes the length as a 32-bit number.
        var rest = bytes[...]
        repeat {
            let piece = rest.prefix(1 << 20)
            rest = rest.dropFirst(piece.count)
            let status = piece.withUnsafeBytes { piece in
                XML_Parse(
                    parser, piece.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(piece.count),
                    isLast && rest.isEmpty ? 1 : 0)
            }
            if status != XML_STATUS_OK, failure == nil { failure = error }
            if let failure { throw failure }
        } while !rest.isEmpty
        defer { events = [] }
        return events
    }

    private var error: XMLStreamError {
        switch XML_GetErrorCode(parser) {
        case XML_ERROR_NO_MEMORY: .outOfMemory
        case XML_ERROR_NO_ELEMENTS, XML_ERROR_UNCLOSED_TOKEN, XML_ERROR_PARTIAL_CHAR, XML_ERROR_UNCLOSED_CDATA_SECTION:
            .incomplete
        case let code:
            .malformed(
                XML_ErrorString(code).map { String(cString: $0) } ?? "error \(code.rawValue)",
                line: Int(clamping: XML_GetCurrentLineNumber(parser)))
        }
    }

    // MARK: Functions that expat calls

    private func fail(_ error: XMLStreamError) {
        if failure == nil { failure = error }
        XML_StopParser(parser, XML_Bool(XML_FALSE))
    }

    private func begin(_ name: UnsafePointer<CChar>, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
        endText()
        depth += 1
        guard depth <= limits.depth else { return fail(.limit(.depth)) }
        guard let name = names.name(name, limit: limits.name) else { return fail(.limit(.name)) }
        var values: [XMLName: String] = [:]
        var (index, size) = (0, 0)
        while let attributes, let key = attributes[index], let value = attributes[index + 1] {
            guard index / 2 < limits.attributes else { return fail(.limit(.attributes)) }
            guard let key = names.name(key, limit: limits.name) else { return fail(.limit(.name)) }
            let value = String(cString: value)
            size += value.utf8.count
            guard size <= limits.text else { return fail(.limit(.text)) }
            values[key] = value
            index += 2
        }
        events.append(.start(name, values))
    }

    private func finishElement(_ name: UnsafePointer<CChar>) {
        endText()
        depth -= 1
        guard let name = names.name(name, limit: limits.name) else { return fail(.limit(.name)) }
        events.append(.end(name))
    }

    private func append(_ bytes: UnsafeRawBufferPointer) {
        guard text.count + bytes.count <= limits.text else { return fail(.limit(.text)) }
        text += bytes
    }

    private func endText() {
        guard !text.isEmpty else { return }
        events.append(.text(String(decoding: text, as: UTF8.self)))
        text.removeAll(keepingCapacity: text.count < 4_096)
    }

    private static let start: XML_StartElementHandler = { context, name, attributes in
        guard let parser = parser(context), let name, parser.failure == nil else { return }
        parser.begin(name, attributes)
    }

    private static let end: XML_EndElementHandler = { context, name in
        guard let parser = parser(context), let name, parser.failure == nil else { return }
        parser.finishElement(name)
    }

    private static let characters: XML_CharacterDataHandler = { context, bytes, count in
        guard let parser = parser(context), let bytes, parser.failure == nil else { return }
        parser.append(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    }

    private static let documentType: XML_StartDoctypeDeclHandler = { context, name, _, _, _ in
        guard let parser = parser(context) else { return }
        parser.fail(.documentType(name.map { String(cString: $0) } ?? ""))
    }

    private static func parser(_ context: UnsafeMutableRawPointer?) -> XMLStreamParser? {
        context.map { Unmanaged<XMLStreamParser>.fromOpaque($0).takeUnretainedValue() }
    }
}

import Glibc

/// A step in the reading of a document.
public enum XMLEvent: Equatable, Sendable {
    /// An element begins.
    case start(XMLName, [XMLName: String])
    /// A complete run of text within an element. References are resolved. The run is not divided by CDATA sections,
    /// comments, or the boundaries of the pieces that the parser receives.
    case text(String)
    /// An element ends. An empty element has a beginning and an end, too.
    case end(XMLName)
}

/// The name of an element or attribute with its namespace resolved.
///
///     let response = XMLName("DAV:", "response")
public struct XMLName: Hashable, Sendable, CustomStringConvertible {
    /// The namespace, or an empty string for a name that has none.
    public let namespace: String
    /// The name without a prefix.
    public let local: String

    /// Creates a name.
    public init(_ namespace: String, _ local: String) {
        self.namespace = namespace
        self.local = local
    }

    /// The name as `{namespace}local`.
    public var description: String { namespace.isEmpty ? local : "{\(namespace)}\(local)" }
}

/// A cache of a document's names, each split into namespace and local name once.
///
/// The XML of a directory listing repeats a few names many thousands of times.
struct NameCache {
    private var names: [UInt64: (bytes: [CChar], name: XMLName)] = [:]

    /// The maximum number of names that are kept.
    private static let limit = 512

    /// Splits a name that expat wrote as namespace, separator and local name. Returns `nil` if the name is longer than
    /// `limit` bytes.
    mutating func name(_ raw: UnsafePointer<CChar>, limit: Int) -> XMLName? {
        let count = strlen(raw)
        guard count <= limit else { return nil }
        let bytes = UnsafeBufferPointer(start: raw, count: count)
        // FNV-1a. Of several names with the same hash, one is cached. The others are split each time, which only costs
        // time.
        let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { hash, byte in
            (hash ^ UInt64(UInt8(bitPattern: byte))) &* 0x100_0000_01B3
        }
        if let known = names[hash], known.bytes.count == count, memcmp(known.bytes, raw, count) == 0 {
            return known.name
        }
        let parts = bytes.split(separator: 1, maxSplits: 1, omittingEmptySubsequences: false).map { part in
            String(decoding: part.lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        let name = parts.count == 2 ? XMLName(parts[0], parts[1]) : XMLName("", parts.first ?? "")
        if names.count < Self.limit { names[hash] = (Array(bytes), name) }
        return name
    }
}

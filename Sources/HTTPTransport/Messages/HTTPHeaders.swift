/// The header fields of a message, in order. Names are compared without regard to case.
///
///     var headers = HTTPHeaders()
///     headers["Depth"] = "1"
///     headers["depth"]  // "1"
public struct HTTPHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// One field.
    public struct Field: Sendable, Equatable {
        /// The name as it was sent.
        public let name: String
        /// The value without surrounding white space.
        public let value: String
    }

    /// All fields, in order.
    public private(set) var fields: [Field] = []

    /// Creates an empty list.
    public init() {}

    /// Creates a list of these fields.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { add(name, value) }
    }

    /// The value of the first field with the given name; `nil` if no field has the name. Setting a value replaces all
    /// fields with the name; setting `nil` removes them.
    public subscript(_ name: String) -> String? {
        get { fields.first { Self.isSame($0.name, name) }?.value }
        set {
            fields.removeAll { Self.isSame($0.name, name) }
            if let newValue { add(name, newValue) }
        }
    }

    /// Returns the values of all fields with the given name.
    public func values(_ name: String) -> [String] { fields.filter { Self.isSame($0.name, name) }.map(\.value) }

    /// Adds a field after the others, even if a field of this name exists.
    public mutating func add(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

    static func isSame(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count && zip(one.utf8, other.utf8).allSatisfy { lowered($0) == lowered($1) }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
    }
}

extension HTTPHeaders.Field {
    /// Parses a line of a message's head, or returns `nil` if it is not a field.
    init?(line: UnsafeBufferPointer<UInt8>) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return nil }
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
        var value = line[(colon + 1)...]
        while let first = value.first, isSpace(first) { value = value.dropFirst() }
        while let last = value.last, isSpace(last) { value = value.dropLast() }
        name = String(decoding: line[..<colon], as: UTF8.self)
        // Old servers send names of files in ISO 8859-1.
        self.value =
            String(validating: value, as: UTF8.self)
            ?? String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
    }

    /// Whether the field can be sent: its name is a token, and its value contains no control characters. A line break
    /// could begin another field.
    var isValid: Bool {
        let symbols = "!#$%&'*+-.^_`|~".utf8
        return !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: symbols.contains(byte)
                }
            } && value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
    }
}

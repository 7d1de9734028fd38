/// Any CBOR data item as a value (RFC 8949 §2), for tools and tests. Messages are encoded and decoded without this
/// type.
package indirect enum CBORValue: Sendable {
    case unsigned(UInt64)
    /// The number -1 - n, where n is the associated value. The range extends below that of `Int64`.
    case negative(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    /// Key-value pairs in the order of the input. Duplicate keys are retained.
    case map([(key: CBORValue, value: CBORValue)])
    case tagged(UInt64, CBORValue)
    case bool(Bool)
    case null
    case undefined
    /// A simple value other than the four cases above.
    case simple(UInt8)
    case float(Double)
}

extension CBORValue: Equatable {
    /// Compares the types and contents of two values. Floating-point numbers are compared by their bits, so that a NaN
    /// equals itself, and 0 does not equal -0.
    package static func == (left: CBORValue, right: CBORValue) -> Bool {
        switch (left, right) {
        case (.unsigned(let a), .unsigned(let b)), (.negative(let a), .negative(let b)): a == b
        case (.bytes(let a), .bytes(let b)): a == b
        case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
        case (.array(let a), .array(let b)): a == b
        case (.map(let a), .map(let b)): a.elementsEqual(b) { $0.key == $1.key && $0.value == $1.value }
        case (.tagged(let a, let x), .tagged(let b, let y)): a == b && x == y
        case (.bool(let a), .bool(let b)): a == b
        case (.null, .null), (.undefined, .undefined): true
        case (.simple(let a), .simple(let b)): a == b
        case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern || (a.isNaN && b.isNaN)
        default: false
        }
    }
}

extension CBORValue {
    /// Creates a value from bytes that contain exactly one data item. Throws an error for any other bytes.
    package init(
        decoding bytes: UnsafeRawBufferPointer, depthLimit: Int = CBORReader.defaultDepthLimit
    ) throws(CBORError) {
        var reader = CBORReader(bytes, depthLimit: depthLimit)
        self = try reader.readValue()
        try reader.finish()
    }

    /// The item in preferred serialization (RFC 8949 §4.1), with definite lengths.
    package var encoded: [UInt8] {
        var writer = CBORWriter()
        writer.write(self)
        return writer.withBytes { [UInt8]($0) }
    }
}

extension CBORReader {
    /// Reads the next item of any type.
    package mutating func readValue(depth: Int = 0) throws(CBORError) -> CBORValue {
        let start = offset
        let head = try readHead()
        switch head.type {
        case .unsigned: return .unsigned(head.argument)
        case .negative: return .negative(head.argument)
        case .bytes:
            offset = start
            return .bytes(try readBytes())
        case .text:
            offset = start
            return .text(try readText())
        case .simple: return try simpleValue(head, startedAt: start)
        case .array, .map, .tag:
            guard depth < depthLimit else { throw CBORError(.tooDeep, at: start) }
            return try readContainer(head, depth: depth + 1, startedAt: start)
        }
    }

    private func simpleValue(_ head: CBORHead, startedAt start: Int) throws(CBORError) -> CBORValue {
        if head.isBreak { throw CBORError(.unexpectedBreak, at: start) }
        if let float = head.float { return .float(float) }
        return switch head.argument {
        case 20: .bool(false)
        case 21: .bool(true)
        case 22: .null
        case 23: .undefined
        // A simple value that is not a float has an argument of one byte at most.
        default: .simple(UInt8(truncatingIfNeeded: head.argument))
        }
    }

    private mutating func readContainer(
        _ head: CBORHead, depth: Int, startedAt start: Int
    ) throws(CBORError) -> CBORValue {
        if head.type == .tag { return .tagged(head.argument, try readValue(depth: depth)) }
        var left =
            head.isIndefinite
            ? nil : try checked(head.argument, itemsEach: head.type == .map ? 2 : 1, startedAt: start)
        var items: [CBORValue] = []
        var pairs: [(key: CBORValue, value: CBORValue)] = []
        while true {
            if let count = left {
                if count == 0 { break }
                left = count - 1
            } else if try skipBreak() {
                break
            }
            let item = try readValue(depth: depth)
            if head.type == .map {
                pairs.append((item, try readValue(depth: depth)))
            } else {
                items.append(item)
            }
        }
        return head.type == .map ? .map(pairs) : .array(items)
    }
}

extension CBORWriter {
    /// Writes a value in preferred serialization, with definite lengths.
    package mutating func write(_ value: CBORValue) {
        switch value {
        case .unsigned(let argument): writeHead(.unsigned, argument)
        case .negative(let argument): writeHead(.negative, argument)
        case .bytes(let bytes): bytes.withUnsafeBytes { write(bytes: $0) }
        case .text(let text): write(text: text)
        case .array(let items):
            writeHead(.array, UInt64(items.count))
            for item in items { write(item) }
        case .map(let pairs):
            writeHead(.map, UInt64(pairs.count))
            for pair in pairs {
                write(pair.key)
                write(pair.value)
            }
        case .tagged(let tag, let item):
            writeHead(.tag, tag)
            write(item)
        case .bool(let value): write(value)
        case .null: writeNull()
        case .undefined: append(0xF7)
        case .simple(let number): writeHead(.simple, UInt64(number))
        case .float(let value): write(value)
        }
    }
}

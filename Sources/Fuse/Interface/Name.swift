import LinuxSystem

/// The name of a directory entry, a symbolic link's target, or the name of an extended attribute: bytes without a
/// NUL, as the kernel sends them.
///
/// Two names are equal if their bytes are equal. Most names are UTF-8, and are stored as a string. A string of up to 15
/// bytes needs no allocation.
public struct Name: Sendable {
    private enum Storage: Sendable {
        case text(String)
        /// A name that is not UTF-8. Valid UTF-8 is never stored in this form, because equal names must have the same
        /// form.
        case bytes([UInt8])
    }

    private let storage: Storage

    /// Creates a name from text, up to the first NUL.
    public init(_ text: String) {
        if let end = text.utf8.firstIndex(of: 0) {
            storage = .text(String(text[..<end]))
        } else {
            storage = .text(text)
        }
    }

    /// Creates a name from bytes, up to the first NUL.
    public init(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes.prefix { $0 != 0 })
        storage = bytes.withUnsafeBufferPointer { String(utf8: $0) }.map(Storage.text) ?? .bytes(bytes)
    }

    /// Creates a name from bytes, none of which is NUL.
    init(_ bytes: UnsafeRawBufferPointer) {
        let bytes = bytes.bindMemory(to: UInt8.self)
        storage = String(utf8: bytes).map(Storage.text) ?? .bytes(Array(bytes))
    }

    /// The name as text; `nil` if it is not UTF-8.
    public var text: String? {
        if case .text(let text) = storage { text } else { nil }
    }

    /// The number of bytes.
    public var count: Int {
        switch storage {
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        }
    }

    /// The bytes, without a NUL at the end.
    public var bytes: [UInt8] {
        switch storage {
        case .text(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        }
    }

    /// Calls a function with the bytes, which are valid until it returns.
    public func withBytes<Result, Failure>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch storage {
        case .text(var text):
            // `withUTF8` does not preserve the type of a thrown error, so the error is passed as a `Result`.
            let outcome = text.withUTF8 { bytes in
                Swift.Result { () throws(Failure) in try body(UnsafeRawBufferPointer(bytes)) }
            }
            return try outcome.get()
        case .bytes(let bytes):
            let outcome = bytes.withUnsafeBytes { bytes in
                Swift.Result { () throws(Failure) in try body(bytes) }
            }
            return try outcome.get()
        }
    }

    /// Calls a function with the name as a C string, with a NUL at its end.
    public func withCString<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result {
        switch storage {
        case .text(let text): return try text.withCString(body)
        case .bytes(let bytes):
            return try (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { buffer in
                // The array contains at least the NUL.
                guard let start = buffer.baseAddress else { return try "".withCString(body) }
                return try body(start)
            }
        }
    }
}

extension Name: Hashable {
    /// Whether both names have the same bytes.
    public static func == (left: Name, right: Name) -> Bool {
        switch (left.storage, right.storage) {
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.bytes(let left), .bytes(let right)): left == right
        default: false
        }
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        withBytes { hasher.combine(bytes: $0) }
    }
}

extension Name: Comparable {
    /// Whether the first name precedes the second. Names are compared byte by byte, independently of any locale.
    public static func < (left: Name, right: Name) -> Bool {
        left.withBytes { left in right.withBytes { right in left.lexicographicallyPrecedes(right) } }
    }
}

extension Name: CustomStringConvertible {
    /// The name for display. Invalid UTF-8 is replaced.
    public var description: String {
        switch storage {
        case .text(let text): text
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        }
    }
}

extension Name: ExpressibleByStringLiteral {
    /// Creates a name from a literal.
    public init(stringLiteral value: String) { self.init(value) }
}

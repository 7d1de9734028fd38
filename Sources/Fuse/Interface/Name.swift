import LinuxSystem

/// A name in a folder, a symbolic link's target or the name of an extended attribute: bytes without a NUL, as the kernel sends them.
///
/// Names are the same when their bytes are. Most are UTF-8, and then they are kept as a string, which up to 15 bytes takes no
/// memory of its own.
public struct Name: Sendable {
    private enum Storage: Sendable {
        case text(String)
        /// Only what is not UTF-8, so that the same bytes are never kept in both ways.
        case bytes([UInt8])
    }

    private let storage: Storage

    /// The name that is written so. What follows a NUL is left out.
    public init(_ text: String) {
        if let end = text.utf8.firstIndex(of: 0) {
            storage = .text(String(text[..<end]))
        } else {
            storage = .text(text)
        }
    }

    /// The name that has these bytes, up to the first NUL.
    public init(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes.prefix { $0 != 0 })
        storage = bytes.withUnsafeBufferPointer { String(utf8: $0) }.map(Storage.text) ?? .bytes(bytes)
    }

    /// The name that has these bytes, none of which is NUL.
    init(_ bytes: UnsafeRawBufferPointer) {
        let bytes = bytes.bindMemory(to: UInt8.self)
        storage = String(utf8: bytes).map(Storage.text) ?? .bytes(Array(bytes))
    }

    /// The name as text; `nil` where it is not UTF-8.
    public var text: String? {
        if case .text(let text) = storage { text } else { nil }
    }

    /// How many bytes it has.
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

    /// Calls a function with the bytes, which stay where they are until it returns.
    public func withBytes<Result, Failure>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch storage {
        case .text(var text):
            // Taking the outcome apart lets the error keep its type, which `withUTF8` does not.
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

    /// Calls a function with the name as C has it, with a NUL at its end.
    public func withCString<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result {
        switch storage {
        case .text(let text): return try text.withCString(body)
        case .bytes(let bytes):
            return try (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { buffer in
                // The array has at least the NUL.
                guard let start = buffer.baseAddress else { return try "".withCString(body) }
                return try body(start)
            }
        }
    }
}

extension Name: Hashable {
    /// Whether both have the same bytes.
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
    /// Byte by byte, which does not depend on any locale.
    public static func < (left: Name, right: Name) -> Bool {
        left.withBytes { left in right.withBytes { right in left.lexicographicallyPrecedes(right) } }
    }
}

extension Name: CustomStringConvertible {
    /// The name for people: what is not UTF-8 in it is replaced.
    public var description: String {
        switch storage {
        case .text(let text): text
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        }
    }
}

extension Name: ExpressibleByStringLiteral {
    /// The name that a program writes out.
    public init(stringLiteral value: String) { self.init(value) }
}

import Conduit
import Foundation
import LinuxSystem
import UniformTypeIdentifiers

/// A resource value in a bookmark, which can be shown while the item is inaccessible.
package struct BookmarkValue: SchemaMessage {
    private enum Kind: Int, MessageValue {
        case text = 0
        case number = 1
        case real = 2
        case flag = 3
        case date = 4
        case bytes = 5
        case url = 6
        case texts = 7
    }

    /// The kind of the value. It determines which of the other properties is set.
    private let kind: Kind
    private let text: String?
    private let number: Int64?
    private let real: Double?
    private let bytes: ByteString?
    private let texts: [String]?
    package let key: URLResourceKey

    /// Returns the item's values for the given keys. Omits values that a bookmark cannot store. Blocks on the file
    /// system.
    package static func values(of item: URL, forKeys keys: [URLResourceKey]) throws -> [BookmarkValue] {
        // For an array of keys, the compiler chooses the method of the module UniformTypeIdentifiers. It supports the
        // type identifier, and Foundation's method does not.
        try item.resourceValues(forKeys: keys).allValues.compactMap { BookmarkValue($0.value, forKey: $0.key) }
    }

    /// Creates the stored form of a resource value; `nil` if its type cannot be stored.
    init?(_ value: Any, forKey key: URLResourceKey) {
        self.key = key
        var parts: (Kind, text: String?, number: Int64?, real: Double?, bytes: ByteString?, texts: [String]?)
        switch value {
        case let value as String: parts = (.text, value, nil, nil, nil, nil)
        // The type is checked because an `NSNumber` of 1 also matches `Bool`.
        case let value as Bool where type(of: value as Any) == Bool.self && !(type(of: value as Any) is NSNumber.Type):
            parts = (.flag, nil, value ? 1 : 0, nil, nil, nil)
        case let value as Date: parts = (.date, nil, nil, value.timeIntervalSinceReferenceDate, nil, nil)
        case let value as Data: parts = (.bytes, nil, nil, nil, ByteString([UInt8](value)), nil)
        case let value as URL: parts = (.url, value.absoluteString, nil, nil, nil, nil)
        case let value as [String]: parts = (.texts, nil, nil, nil, nil, value)
        case let value as Int: parts = (.number, nil, Int64(value), nil, nil, nil)
        case let value as Double: parts = (.real, nil, nil, value, nil, nil)
        default: return nil
        }
        (kind, text, number, real, bytes, texts) = parts
    }

    /// The value as Foundation represents it; `nil` if the stored value does not match its kind.
    package var value: Any? {
        switch kind {
        case .text: text
        case .number: number.map { Int($0) }
        case .real: real
        case .flag: number.map { $0 != 0 }
        case .date: real.map { Date(timeIntervalSinceReferenceDate: $0) }
        case .bytes: bytes.map { Data($0.bytes) }
        case .url: text.flatMap { URL(string: $0) }
        case .texts: texts
        }
    }

    private init(
        _ key: String, _ kind: Kind, _ text: String?, _ number: Int64?, _ real: Double?, _ bytes: ByteString?,
        _ texts: [String]?
    ) {
        self.key = URLResourceKey(rawValue: key)
        self.kind = kind
        self.text = text
        self.number = number
        self.real = real
        self.bytes = bytes
        self.texts = texts
    }

    package static let schema = Schema(
        Self.init(_:_:_:_:_:_:_:), Field(0, \.key.rawValue), Field(1, \.kind), Field(2, \.text), Field(3, \.number),
        Field(4, \.real), Field(5, \.bytes), Field(6, \.texts))
}

extension Bookmark {
    /// Returns the stored values for the given keys. The path and the name are always stored.
    func values(forKeys keys: some Sequence<URLResourceKey>) -> [URLResourceKey: Any] {
        let wanted = Set(keys)
        var found: [URLResourceKey: Any] = [.pathKey: path, .nameKey: path == "/" ? path : path.lastPathName]
            .filter { wanted.contains($0.key) }
        for kept in values where wanted.contains(kept.key) { found[kept.key] = kept.value }
        return found
    }
}

import Conduit
import Foundation
import UniformTypeIdentifiers

/// A resource value that a bookmark keeps, so that it can be shown while the item is out of reach.
package struct BookmarkValue: Message {
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

    /// Everything that a value can be made of; which of them is set depends on its kind.
    private let kind: Kind
    private let text: String?
    private let number: Int64?
    private let real: Double?
    private let bytes: ByteString?
    private let texts: [String]?
    package let key: URLResourceKey

    /// Those of an item's values that can be kept. Blocks on the file system.
    package static func values(of item: URL, forKeys keys: [URLResourceKey]) throws -> [BookmarkValue] {
        // An array brings the type identifier along, which Foundation's own method knows nothing of.
        try item.resourceValues(forKeys: keys).allValues.compactMap { BookmarkValue($0.value, forKey: $0.key) }
    }

    /// `nil` for a value that means nothing outside of this process.
    init?(_ value: Any, forKey key: URLResourceKey) {
        self.key = key
        var parts: (Kind, text: String?, number: Int64?, real: Double?, bytes: ByteString?, texts: [String]?)
        switch value {
        case let value as String: parts = (.text, value, nil, nil, nil, nil)
        // Asked of the type, because a number object of 1 would do for true.
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

    /// The value as Foundation has it; `nil` for one that is not what its kind says.
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

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        key = URLResourceKey(rawValue: try decoder.decode(forKey: 0))
        kind = try decoder.decode(forKey: 1)
        text = try decoder.decodeIfPresent(forKey: 2)
        number = try decoder.decodeIfPresent(forKey: 3)
        real = try decoder.decodeIfPresent(forKey: 4)
        bytes = try decoder.decodeIfPresent(forKey: 5)
        texts = try decoder.decodeIfPresent(forKey: 6)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(key.rawValue, forKey: 0)
        encoder.encode(kind, forKey: 1)
        encoder.encodeIfPresent(text, forKey: 2)
        encoder.encodeIfPresent(number, forKey: 3)
        encoder.encodeIfPresent(real, forKey: 4)
        encoder.encodeIfPresent(bytes, forKey: 5)
        encoder.encodeIfPresent(texts, forKey: 6)
    }
}

extension Bookmark {
    /// The kept values under these keys, and the path and name that are known in any case.
    func values(forKeys keys: some Sequence<URLResourceKey>) -> [URLResourceKey: Any] {
        let wanted = Set(keys)
        var found: [URLResourceKey: Any] = [.pathKey: path, .nameKey: URL(fileURLWithPath: path).lastPathComponent]
            .filter { wanted.contains($0.key) }
        for kept in values where wanted.contains(kept.key) { found[kept.key] = kept.value }
        return found
    }
}

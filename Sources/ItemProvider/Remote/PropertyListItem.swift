import Conduit
import Foundation

/// Property lists as CBOR (RFC 8949), for sending to other processes. They are not sent as binary lists, because
/// Foundation's reader of these is not safe for untrusted input. A date has tag 1, and is in seconds since 1970.
package enum PropertyListItem {
    private static let dateTag: UInt64 = 1
    private static let deepest = 100

    /// Encodes a value.
    ///
    /// - Returns: `nil` if a property list cannot contain the value, or if it is nested too deeply.
    package static func encode(_ value: Any) -> CBORValue? { encode(value, depth: 0) }

    private static func encode(_ value: Any, depth: Int) -> CBORValue? {
        guard depth < deepest else { return nil }
        switch value as AnyObject {
        case let text as NSString: return .text(text as String)
        case let data as NSData: return .bytes([UInt8](Data(referencing: data)))
        case let date as NSDate: return .tagged(dateTag, .float(date.timeIntervalSince1970))
        case let number as NSNumber: return encode(number)
        case let array as NSArray:
            var items: [CBORValue] = []
            for item in array {
                guard let item = encode(item, depth: depth + 1) else { return nil }
                items.append(item)
            }
            return .array(items)
        case let dictionary as NSDictionary:
            var pairs: [(key: CBORValue, value: CBORValue)] = []
            for (key, item) in dictionary {
                guard let key = (key as AnyObject) as? NSString, let item = encode(item, depth: depth + 1) else {
                    return nil
                }
                pairs.append((.text(key as String), item))
            }
            return .map(pairs)
        default: return nil
        }
    }

    private static func encode(_ number: NSNumber) -> CBORValue? {
        // A Boolean is also an `NSNumber`, so it is recognized before the numbers.
        if CFNumberKind.isBoolean(number) { return .bool(number.boolValue) }
        switch number.objCType.pointee {
        case CChar(UInt8(ascii: "d")), CChar(UInt8(ascii: "f")): return .float(number.doubleValue)
        case CChar(UInt8(ascii: "Q")): return .unsigned(number.uint64Value)
        default:
            let value = number.int64Value
            return value < 0 ? .negative(UInt64(bitPattern: ~value)) : .unsigned(UInt64(value))
        }
    }

    /// Decodes a value.
    ///
    /// - Returns: `nil` for bytes that are not a property list in this form.
    package static func decode(_ data: Data) -> (any NSSecureCoding)? {
        let value = data.withUnsafeBytes { try? CBORValue(decoding: $0, depthLimit: 2 * deepest) }
        return value.flatMap { object($0) } as? any NSSecureCoding
    }

    package static func object(_ value: CBORValue) -> NSObject? {
        switch value {
        case .text(let text): return text as NSString
        case .bytes(let bytes): return Data(bytes) as NSData
        case .bool(let value): return NSNumber(value: value)
        case .unsigned(let value): return Int64(exactly: value).map { NSNumber(value: $0) } ?? NSNumber(value: value)
        case .negative(let value): return value <= UInt64(Int64.max) ? NSNumber(value: ~Int64(value)) : nil
        case .float(let value): return NSNumber(value: value)
        case .tagged(dateTag, .float(let seconds)): return NSDate(timeIntervalSince1970: seconds)
        case .array(let items):
            let objects = items.compactMap { object($0) }
            return objects.count == items.count ? objects as NSArray : nil
        case .map(let pairs):
            let result = NSMutableDictionary()
            for (key, item) in pairs {
                guard case .text(let key) = key, let item = object(item) else { return nil }
                result[key as NSString] = item
            }
            return result.copy() as? NSDictionary
        default: return nil
        }
    }
}

enum CFNumberKind {
    static func isBoolean(_ number: NSNumber) -> Bool {
        number === (true as NSNumber) || number === (false as NSNumber)
            || number.objCType.pointee == CChar(UInt8(ascii: "B"))
    }
}

import Foundation
import Secrets

/// The kinds of values that a query requests in its result.
struct ItemForm {
    var hasAttributes = false
    var hasData = false
    var hasReference = false

    /// Returns the requested values of an item, or `nil` if the query requests none.
    func object(_ item: SecretItem) -> CFTypeRef? {
        let data = hasData ? Self.data(of: item) : nil
        let reference = hasReference ? Self.reference(to: item) : nil
        guard hasAttributes || (hasData && hasReference) else { return data ?? reference }
        var values: [String: Any] = hasAttributes ? Self.attributes(of: item) : [:]
        if let data { values["v_Data"] = data }
        if let reference { values["v_PersistentRef"] = reference }
        return values as NSDictionary
    }

    /// Returns the requested values of items: an array, or one object for a query with a limit of one.
    func object(_ items: [SecretItem], limit: Int) -> CFTypeRef? {
        if limit == 1 { return items.first.flatMap { object($0) } }
        guard hasAttributes || hasData || hasReference else { return nil }
        return items.compactMap { object($0) } as NSArray
    }

    private static func data(of item: SecretItem) -> NSData {
        item.value?.withBytes { NSData(bytes: $0.baseAddress, length: $0.count) } ?? NSData()
    }

    private static func attributes(of item: SecretItem) -> [String: Any] {
        var values: [String: Any] = [
            "class": item.itemClass.rawValue,
            "cdat": Date(timeIntervalSince1970: item.created),
            "mdat": Date(timeIntervalSince1970: item.modified),
        ]
        for (attribute, value) in item.attributes {
            values[attribute.rawValue] =
                switch value {
                case .text(let text): text
                case .bytes(let bytes): Data(bytes)
                case .number(let number): NSNumber(value: number)
                case .flag(let flag): NSNumber(value: flag)
                }
        }
        return values
    }

    // MARK: References

    private static func reference(to item: SecretItem) -> NSData {
        let identity = withUnsafeBytes(of: item.reference.uuid) { Data($0) }
        return (Data(item.itemClass.rawValue.utf8) + identity) as NSData
    }

    /// Returns the identifier of the item to which a persistent reference refers, or `nil` if the data is not a
    /// persistent reference.
    static func reference(in data: Data) -> UUID? {
        let bytes = [UInt8](data)
        guard bytes.count == 20, SecretClass(rawValue: String(decoding: bytes[..<4], as: UTF8.self)) != nil else {
            return nil
        }
        return bytes[4...].withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}

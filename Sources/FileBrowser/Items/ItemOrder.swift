import DomainMessages
import FileProvider

/// An order of items. Folders come first.
package struct ItemOrder: Sendable, Equatable {
    package enum Key: String, Sendable, CaseIterable {
        case name, modified, size, state
    }

    package var key: Key
    package var isDescending: Bool

    package init(_ key: Key = .name, isDescending: Bool = false) {
        self.key = key
        self.isDescending = isDescending
    }

    /// Whether the item `left` comes before the item `right`. Items that are equal in this order are ordered by name.
    ///
    /// - Parameters:
    ///   - leftName: the ``sortKey(of:)`` of the name of `left`.
    ///   - rightName: the ``sortKey(of:)`` of the name of `right`.
    func precedes(_ left: BrowserItem, _ leftName: [UInt8], _ right: BrowserItem, _ rightName: [UInt8]) -> Bool {
        if left.isFolder != right.isFolder { return left.isFolder }
        let difference =
            switch key {
            case .name: 0
            case .modified: Self.compare(left.description.modified ?? 0, right.description.modified ?? 0)
            case .size: Self.compare(left.description.size ?? -1, right.description.size ?? -1)
            case .state: Self.compare(left.description.state.rawValue, right.description.state.rawValue)
            }
        if difference != 0 { return isDescending ? difference > 0 : difference < 0 }
        let names = Self.compare(leftName, rightName)
        return key == .name && isDescending ? names > 0 : names < 0
    }

    private static func compare<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
        left < right ? -1 : left > right ? 1 : 0
    }

    private static func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left.lexicographicallyPrecedes(right) ? -1 : left == right ? 0 : 1
    }

    /// Returns a key for a name. The order of the keys' bytes is the order that a reader expects: letters regardless of
    /// case, numbers by value.
    package static func sortKey(of name: String) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(name.utf8.count + 2)
        var digits: [UInt8] = []
        func flush() {
            guard !digits.isEmpty else { return }
            let significant = digits.drop { $0 == UInt8(ascii: "0") }
            // A number with more digits is greater, so the count of digits precedes the digits in the key. The key of
            // every number begins with the digit 0, so that numbers are ordered like digits among other characters.
            key.append(UInt8(ascii: "0"))
            key.append(UInt8(min(significant.count, 255)))
            key += significant
            digits.removeAll()
        }
        for byte in name.utf8.allSatisfy({ $0 < 0x80 }) ? Array(name.utf8) : Array(name.lowercased().utf8) {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(byte)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                flush()
                key.append(byte | 0x20)
            default:
                flush()
                key.append(byte)
            }
        }
        flush()
        return key
    }
}

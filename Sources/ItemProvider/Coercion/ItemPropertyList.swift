import Foundation

/// Property lists as data, in any of the three forms.
package enum ItemPropertyList {
    package static func decode(_ data: Data) -> NSObject? {
        // Foundation takes any text at all for a property list of the oldest form: that one must look like a collection.
        let start = data.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard let start, data.starts(with: Data("bplist".utf8)) || "<{(".utf8.contains(start) || start == 0xEF else {
            return nil
        }
        if data.starts(with: Data("bplist".utf8)), !isSoundBinary(data) { return nil }
        guard let list = try? PropertyListSerialization.propertyList(from: data, format: nil) else { return nil }
        return (list as AnyObject) as? NSObject
    }

    /// Whether Foundation can be given a list in the binary form: it ends the process on some that are broken.
    package static func isSoundBinary(_ data: Data) -> Bool { (try? BinaryPropertyList(data)) != nil }
}

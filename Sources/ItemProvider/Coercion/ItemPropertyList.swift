import Foundation
import PropertyLists

/// Property lists as data, in any of the three forms.
package enum ItemPropertyList {
    package static func decode(_ data: Data) -> NSObject? {
        // Foundation takes any text at all for a property list of the oldest form, so such a list must look like a
        // collection.
        let start = data.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard let start, ForeignPropertyList.isBinary(data) || "<{(".utf8.contains(start) || start == 0xEF else {
            return nil
        }
        guard let list = try? ForeignPropertyList.read(data) else { return nil }
        return (list as AnyObject) as? NSObject
    }
}

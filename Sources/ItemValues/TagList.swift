import Foundation
import PropertyLists

/// Encodes the names of an item's tags as tag data: a binary property list with an array of names.
///
/// Other programs may append a line feed and a colour number to a name. The line feed and the number are not part of
/// the name. Providers treat the data as opaque.
package enum TagList {
    /// The maximum number of bytes of a tag's name.
    package static let longestName = 255
    /// The maximum number of tags of one item.
    package static let most = 100
    /// The maximum number of bytes of tag data that is decoded. Longer data is preserved, but yields no names.
    private static let mostBytes = 1 << 16

    /// Returns a sentence that says why the given name cannot be a tag; `nil` if it can.
    package static func fault(of name: String) -> String? {
        if name.isEmpty || name.utf8.count > longestName { return "a tag has 1 to \(longestName) bytes" }
        let isPlain = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "," }
        return isPlain ? nil : "\"\(name)\" cannot be a tag: it has a comma or a control character"
    }

    /// Returns the tag data for the given names; `nil` if there are no names.
    package static func data(of names: [String]) -> [UInt8]? {
        guard !names.isEmpty else { return nil }
        var list = BinaryPropertyListWriter()
        let references = names.map { list.add(text: $0) }
        _ = list.add(array: references)
        return Array(list.finish())
    }

    /// Returns the names in the given tag data; none if the data has another format.
    package static func names(in data: [UInt8]) -> [String] {
        guard data.count <= mostBytes, let list = (try? ForeignPropertyList.read(Data(data))) as? [Any] else {
            return []
        }
        return list.prefix(most).compactMap { entry in
            guard let text = entry as? String else { return nil }
            let name = text.prefix { $0 != "\n" }
            return fault(of: String(name)) == nil ? String(name) : nil
        }
    }
}

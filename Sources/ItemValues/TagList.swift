import Foundation
import PropertyLists

/// The encoding of an item's tag names as tag data: a binary property list with an array of names.
///
/// Other programs may append a line feed and a colour number to a name. Neither is part of the name. Providers treat
/// the data as opaque.
package enum TagList {
    /// The maximum number of bytes of a name.
    package static let longestName = 255
    /// The maximum number of names of one item.
    package static let most = 100
    /// The maximum number of bytes of data that is parsed. Longer data is preserved, but yields no names.
    private static let mostBytes = 1 << 16

    /// Returns the reason why a name cannot be a tag, in a sentence; `nil` if the name is valid.
    package static func fault(of name: String) -> String? {
        if name.isEmpty || name.utf8.count > longestName { return "a tag has 1 to \(longestName) bytes" }
        let isPlain = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "," }
        return isPlain ? nil : "\"\(name)\" cannot be a tag: it has a comma or a control character"
    }

    /// Returns the data for names; `nil` for none.
    package static func data(of names: [String]) -> [UInt8]? {
        guard !names.isEmpty else { return nil }
        var list = BinaryPropertyListWriter()
        let references = names.map { list.add(text: $0) }
        _ = list.add(array: references)
        return Array(list.finish())
    }

    /// Returns the names in tag data. Returns no names if the data has another format.
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

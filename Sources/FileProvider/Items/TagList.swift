import Foundation
import PropertyLists

/// The tags of an item as its tag data carries them: a binary property list of an array of names.
///
/// Data of other programs may have a line feed and the number of a colour after a name; what comes after it is no part of the
/// name. To providers the data is opaque.
package enum TagList {
    /// Bytes of a name.
    package static let longestName = 255
    /// Names of one item.
    package static let most = 100
    /// Bytes of data that is looked into; more is kept, and has no names.
    private static let mostBytes = 1 << 16

    /// What is wrong with a name, in one sentence; `nil` for nothing.
    package static func fault(of name: String) -> String? {
        if name.isEmpty || name.utf8.count > longestName { return "a tag has 1 to \(longestName) bytes" }
        let isPlain = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "," }
        return isPlain ? nil : "\"\(name)\" cannot be a tag: it has a comma or a control character"
    }

    /// The data for some names; `nil` for none.
    package static func data(of names: [String]) -> [UInt8]? {
        guard !names.isEmpty else { return nil }
        var list = BinaryPropertyListWriter()
        let references = names.map { list.add(text: $0) }
        _ = list.add(array: references)
        return Array(list.finish())
    }

    /// The names in some data; none where it is in another form.
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

import Foundation
import PropertyLists

/// Attributed text as a property list: the string, and runs of attributes over it.
///
/// Foundation on Linux archives attributed strings but cannot read them back. It has no rich text format, and defines
/// no attributes of its own. Therefore this form is particular to this package. The form preserves attributes whose
/// values are strings, numbers, dates, data, arrays and dictionaries of these, or URLs.
package enum AttributedText {
    /// The type under which processes of this package exchange attributed text.
    static let typeIdentifier = "org.purvey.attributed-string"

    /// The key that distinguishes a URL in a property list from a string.
    private static let urlKey = "URL"

    package static func encode(_ text: NSAttributedString) throws -> Data {
        var runs: [[String: Any]] = []
        let whole = NSRange(location: 0, length: text.length)
        text.enumerateAttributes(in: whole, options: []) { attributes, range, _ in
            var kept: [String: Any] = [:]
            for (key, value) in attributes { kept[key.rawValue] = listValue(value) }
            if !kept.isEmpty {
                runs.append(["location": range.location, "length": range.length, "attributes": kept])
            }
        }
        return try PropertyListSerialization.data(
            fromPropertyList: ["string": text.string, "runs": runs], format: .binary, options: 0)
    }

    /// Decodes attributed text.
    ///
    /// - Returns: `nil` if the data has another form. Runs beyond the end of the string are left out.
    package static func decode(_ data: Data) -> NSMutableAttributedString? {
        guard
            let form = ForeignPropertyList.dictionary(data), let string = form["string"] as? String
        else { return nil }
        let text = NSMutableAttributedString(string: string)
        for run in form["runs"] as? [[String: Any]] ?? [] {
            guard let location = run["location"] as? Int, let length = run["length"] as? Int,
                let attributes = run["attributes"] as? [String: Any],
                location >= 0, length > 0, location <= text.length, length <= text.length - location
            else { continue }
            let range = NSRange(location: location, length: length)
            for (key, value) in attributes {
                text.addAttribute(NSAttributedString.Key(rawValue: key), value: attributeValue(value), range: range)
            }
        }
        return text
    }

    private static func listValue(_ value: Any) -> Any? {
        if let url = value as? URL { return [urlKey: url.absoluteString] }
        return PropertyListSerialization.propertyList(value, isValidFor: .binary) ? value : nil
    }

    private static func attributeValue(_ value: Any) -> Any {
        if let form = value as? [String: String], form.count == 1, let text = form[urlKey], let url = URL(string: text)
        {
            return url
        }
        return value
    }
}

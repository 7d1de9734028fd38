import Foundation

/// Reading of property lists from untrusted sources. All of them are decoded through it.
///
/// A list in the binary form is validated first, see ``BinaryPropertyList``: Foundation crashes on some contents, and
/// a list of a few hundred bytes can refer to its parts so often that it would fill the memory. The two textual forms
/// cannot, and Foundation limits their depth.
package enum ForeignPropertyList {
    /// The error for a list that is refused before Foundation decodes it.
    package struct Refused: LocalizedError {
        package var errorDescription: String? { "the binary property list is damaged, or unfolds to too much" }
    }

    /// Decodes a property list.
    ///
    /// - Throws: ``Refused``, or Foundation's error for data that is not a property list.
    package static func read(_ data: Data) throws -> Any {
        if isBinary(data), (try? BinaryPropertyList(data)) == nil { throw Refused() }
        return try PropertyListSerialization.propertyList(from: data, format: nil)
    }

    /// Returns a list with a dictionary at its root, or `nil` for anything else.
    package static func dictionary(_ data: Data) -> [String: Any]? {
        (try? read(data)) as? [String: Any]
    }

    /// Whether the data starts as a list in the binary form.
    package static func isBinary(_ data: Data) -> Bool {
        data.starts(with: Data("bplist".utf8))
    }
}

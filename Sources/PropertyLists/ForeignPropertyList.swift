import Foundation

/// Reading property lists that somebody else wrote: the one place where Foundation decodes them.
///
/// The binary form is looked through first, see ``BinaryPropertyList``: Foundation ends the process over some of what can stand in
/// one, and a list of a few hundred bytes can refer to its parts so often that all memory would be needed for it. The two textual
/// forms cannot, and Foundation bounds their depth.
package enum ForeignPropertyList {
    /// What a list is refused for before Foundation sees it.
    package struct Refused: LocalizedError {
        package var errorDescription: String? { "the binary property list is damaged, or unfolds to too much" }
    }

    /// - Throws: ``Refused``, or what Foundation throws for what is no property list.
    package static func read(_ data: Data) throws -> Any {
        if isBinary(data), (try? BinaryPropertyList(data)) == nil { throw Refused() }
        return try PropertyListSerialization.propertyList(from: data, format: nil)
    }

    /// A list with a dictionary at its root; `nil` for anything else.
    package static func dictionary(_ data: Data) -> [String: Any]? {
        (try? read(data)) as? [String: Any]
    }

    /// Whether the data says that it is a list of the binary form.
    package static func isBinary(_ data: Data) -> Bool {
        data.starts(with: Data("bplist".utf8))
    }
}

import Foundation

/// Property lists that somebody else wrote.
package enum CheckedPropertyList {
    /// The value of a property list in any of the three forms; `nil` for what is none.
    ///
    /// Foundation on Linux ends the process over some of what can stand in a binary one, so that form is looked through first.
    package static func decode(_ data: Data) -> Any? {
        if data.starts(with: Data("bplist".utf8)), (try? BinaryPropertyList(data)) == nil { return nil }
        return try? PropertyListSerialization.propertyList(from: data, format: nil)
    }
}

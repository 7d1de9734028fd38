import FileProvider

/// Two versions of a file: the file itself, and the conflicted copy, which was created because the file was changed
/// both locally and at the service.
package struct ConflictPair: Sendable, Equatable {
    package let original: BrowserItem
    package let copy: BrowserItem

    package init(original: BrowserItem, copy: BrowserItem) {
        self.original = original
        self.copy = copy
    }

    /// Returns the name of the original file for the name of a conflicted copy (see `ConflictName`); `nil` for any
    /// other name.
    package static func originalName(of name: String) -> String? {
        // Most names contain no parenthesis, and are not examined further.
        guard name.utf8.contains(UInt8(ascii: "(")), let start = name.range(of: mark),
            let end = name[start.upperBound...].firstIndex(of: ")")
        else {
            return nil
        }
        let words = name[start.upperBound..<end]
        let isMark = words.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 == 0x2D || $0 == 0x20 }
        guard isMark, words.utf8.count >= dateLength else { return nil }
        return String(name[..<start.lowerBound]) + name[name.index(after: end)...]
    }

    private static let mark = " (conflicted copy "
    /// The length of a date such as 2026-11-22.
    private static let dateLength = 10
}

extension String {
    /// Returns the first occurrence of a text.
    fileprivate func range(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}

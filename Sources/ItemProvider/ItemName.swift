import Foundation
import UniformTypeIdentifiers

/// The file name under which an item arrives.
///
/// The suggested name, else the file's own, else the type's localized description, else its identifier. Path
/// separators and control characters are replaced. The type's preferred extension is added if the name has none or
/// that of another declared type. The whole is at most 255 bytes of UTF-8, shortened at a character with the
/// extension kept.
package enum ItemName {
    /// The longest name of a Linux file system, in bytes.
    package static let maximumLength = 255

    /// The longest extension, in bytes. A longer text after the last dot is taken for part of a sentence.
    private static let longestExtension = 64

    /// Returns a name that is safe to create in a directory of one's own: never empty, `.` or `..`, never more than
    /// one component.
    package static func name(
        suggested: String?, file: String?, typeIdentifier: String, contentType: UTType? = nil
    ) -> String {
        let type = UTType(typeIdentifier) ?? contentType
        let candidates = [suggested, file, type?.localizedDescription, typeIdentifier]
        let base = candidates.lazy.compactMap { $0.flatMap(sanitized) }.first ?? "item"
        return shortened(withExtension(base, for: type))
    }

    /// Returns a name for a file whose own name is taken: numbered before the extension, and within the length limit.
    package static func numbered(_ name: String, _ number: Int) -> String {
        let ending = pathExtension(of: name).map { ".\($0)" } ?? ""
        return cut(name.dropLast(ending.count), ending: " \(number)\(ending)")
    }

    /// Returns a name for a file in a user's directory that another program has chosen. It is never that of a hidden
    /// file, such as one that a shell would run.
    package static func visible(_ name: String) -> String {
        let visible = name.drop { $0 == "." }
        return (visible.count == name.count ? "" : "_") + visible
    }

    /// Returns the name with separators and control characters replaced, or `nil` if nothing usable is left.
    private static func sanitized(_ name: String) -> String? {
        var scalars = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            let isUnsafe = scalar == "/" || scalar.properties.generalCategory == .control
            scalars.append(isUnsafe ? "_" : scalar)
        }
        let result = String(scalars)
        return ["", ".", ".."].contains(result) ? nil : result
    }

    private static func withExtension(_ name: String, for type: UTType?) -> String {
        // UTF-8 plain text has no extension of its own; that of plain text stands for it.
        guard let type,
            let named = ([type] + type.supertypesByDistance).first(where: { $0.preferredFilenameExtension != nil }),
            let preferred = named.preferredFilenameExtension
        else { return name }
        if let own = pathExtension(of: name), means(own, named) || isForeign(own) { return name }
        return "\(name).\(preferred)"
    }

    /// Whether an extension stands for a type: it is one of the type's own tags, or belongs to a kind of it.
    private static func means(_ pathExtension: String, _ type: UTType) -> Bool {
        let tags = type.tags[.filenameExtension] ?? []
        if tags.contains(where: { TypeIdentifier.areEqual($0, pathExtension) }) { return true }
        return UTType.types(tag: pathExtension, tagClass: .filenameExtension, conformingTo: nil)
            .contains { !$0.isDynamic && $0.conforms(to: type) }
    }

    /// Whether an extension is of an undeclared type, such as a program's own files. If another extension were added,
    /// that program would not recognize its file. A version number and the end of a sentence are no extensions.
    private static func isForeign(_ pathExtension: String) -> Bool {
        let isVersion = pathExtension.drop { $0 == "v" || $0 == "V" }.allSatisfy(\.isNumber)
        guard !isVersion, pathExtension.first?.isLetter ?? false || pathExtension.first?.isNumber ?? false,
            pathExtension.allSatisfy({ $0.isLetter || $0.isNumber || "_-+~".contains($0) })
        else {
            return false
        }
        return !UTType.types(tag: pathExtension, tagClass: .filenameExtension, conformingTo: nil)
            .contains { !$0.isDynamic }
    }

    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > maximumLength else { return name }
        let ending = pathExtension(of: name).map { ".\($0)" } ?? ""
        return cut(name.dropLast(ending.count), ending: ending)
    }

    private static func cut(_ whole: Substring, ending: String) -> String {
        var room = maximumLength - ending.utf8.count
        var stem = ""
        for character in whole {
            room -= character.utf8.count
            if room < 0 { break }
            stem.append(character)
        }
        return stem.isEmpty ? "item\(ending)" : stem + ending
    }

    private static func pathExtension(of name: String) -> String? {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        let ending = name[name.index(after: dot)...]
        return ending.isEmpty || ending.utf8.count > longestExtension ? nil : String(ending)
    }
}

import Foundation
import UniformTypeIdentifiers

/// The file name under which an item arrives.
///
/// It is the first of these that exists: the suggested name, the file's own name, the type's localized description, the
/// type's identifier. Path separators and control characters are replaced. The type's preferred extension is added if
/// the name has no extension, or the extension of another declared type. The result has at most 255 bytes in UTF-8. A
/// longer name is shortened before its extension.
package enum ItemName {
    /// The longest name of a Linux file system, in bytes.
    package static let maximumLength = 255

    /// The maximum length of an extension in bytes. Longer text after the last dot is treated as a part of the name.
    private static let longestExtension = 64

    /// Returns a name that can be created safely in a directory of this process: it is not empty, `.` or `..`, and is
    /// one path component.
    package static func name(
        suggested: String?, file: String?, typeIdentifier: String, contentType: UTType? = nil
    ) -> String {
        let type = UTType(typeIdentifier) ?? contentType
        let candidates = [suggested, file, type?.localizedDescription, typeIdentifier]
        let base = candidates.lazy.compactMap { $0.flatMap(sanitized) }.first ?? "item"
        return shortened(withExtension(base, for: type))
    }

    /// Returns the name with a number before its extension, for a directory that already has a file with the unnumbered
    /// name. The result is within the length limit.
    package static func numbered(_ name: String, _ number: Int) -> String {
        let ending = pathExtension(of: name).map { ".\($0)" } ?? ""
        return cut(name.dropLast(ending.count), ending: " \(number)\(ending)")
    }

    /// Returns a name for a file in a user's directory. Another program has chosen the name, so the result is never the
    /// name of a hidden file, such as `.profile`, which a shell would run.
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
        // UTF-8 plain text has no extension of its own, so the extension of its supertype, plain text, is used.
        guard let type,
            let named = ([type] + type.supertypesByDistance).first(where: { $0.preferredFilenameExtension != nil }),
            let preferred = named.preferredFilenameExtension
        else { return name }
        if let own = pathExtension(of: name), means(own, named) || isForeign(own) { return name }
        if isWhole(name, for: type) { return name }
        return "\(name).\(preferred)"
    }

    /// Whether programs recognize the type by the whole name, such as `Makefile` or `x.tar.gz`, or the name is that of
    /// a hidden file without an extension, such as `.profile`.
    private static func isWhole(_ name: String, for type: UTType) -> Bool {
        if name.hasPrefix("."), !name.dropFirst().contains(".") { return true }
        let named = UTType.type(ofFileName: name)
        return named != .data && named.conforms(to: type)
    }

    /// Whether the extension is a tag of the given type, or of a type that conforms to it.
    private static func means(_ pathExtension: String, _ type: UTType) -> Bool {
        let tags = type.tags[.filenameExtension] ?? []
        if tags.contains(where: { TypeIdentifier.areEqual($0, pathExtension) }) { return true }
        return UTType.types(tag: pathExtension, tagClass: .filenameExtension, conformingTo: nil)
            .contains { !$0.isDynamic && $0.conforms(to: type) }
    }

    /// Whether an extension belongs to an undeclared type, such as that of a program's own files. If another extension
    /// were added, the program would not recognize the file. A version number and the end of a sentence do not count as
    /// extensions.
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

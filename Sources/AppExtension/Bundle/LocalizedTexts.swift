import Foundation
import Glibc
import LinuxSystem
import PropertyLists

/// The texts of a bundle's `Localizable.strings`, in the language of this process. A text that is missing in this
/// language is taken from the bundle's development language.
struct LocalizedTexts {
    private let tables: [[String: Any]]

    /// The maximum size of a file in bytes.
    private static let largest = 1 << 20

    /// Reads the tables. Blocks on the file system.
    ///
    /// - Parameters:
    ///   - bundle: The bundle's directory.
    ///   - development: The bundle's development language.
    ///   - languages: The user's languages, the preferred one first.
    init(bundle: String, development: String?, languages: [String] = Self.userLanguages) {
        let names = languages + [development, "Base", "en"].compactMap { $0 }
        var folders: [String] = []
        for name in names where !name.hasSlash && !name.hasPrefix(".") {
            // The directory for the language with its region, and the one for the language alone.
            for candidate in [name, String(name.prefix { $0 != "_" && $0 != "-" })] {
                for form in [candidate, candidate.replacingOccurrences(of: "_", with: "-")]
                where !folders.contains(form) {
                    folders.append(form)
                }
            }
        }
        let paths = folders.map { "/\($0).lproj/Localizable.strings" } + ["/Localizable.strings"]
        tables = paths.compactMap { path in
            ["", "/Resources"].lazy.compactMap { Self.read(bundle + $0 + path) }.first
        }
    }

    /// Returns the text for a key; `nil` if no table has a text for it.
    func text(_ key: String) -> String? {
        tables.lazy.compactMap { $0[key] as? String }.first { !$0.isEmpty }
    }

    /// The languages of this process in gettext's order, the preferred one first.
    static var userLanguages: [String] {
        let list = variable("LANGUAGE").map { $0.split(separator: ":").map(String.init) } ?? []
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(variable).first
        return (list + [locale].compactMap { $0 }).map { String($0.prefix { $0 != "." && $0 != "@" }) }
            .filter { !["C", "POSIX", ""].contains($0) }
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func read(_ path: String) -> [String: Any]? {
        guard let file = try? FileDescriptor.open(path, [.readOnly, .nonBlocking]),
            (try? file.status().kind) == .regular, let bytes = try? file.readToEnd(limit: largest)
        else { return nil }
        // Apple's tools write these files in UTF-16.
        let isWide = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
        let text = isWide ? String(data: Data(bytes), encoding: .utf16).map { Data($0.utf8) } : nil
        return ForeignPropertyList.dictionary(text ?? Data(bytes))
    }
}

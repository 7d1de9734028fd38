import Foundation
import UniformTypeIdentifiers

extension NSPasteboard {
    /// A type of data on a pasteboard: a uniform type identifier, or one of the older names that are not type
    /// identifiers.
    ///
    /// Source: AppKit, `NSPasteboard.h`.
    public struct PasteboardType: Hashable, RawRepresentable, Sendable {
        /// The identifier.
        public let rawValue: String
        /// Creates the type with the given identifier.
        public init(_ rawValue: String) { self.rawValue = rawValue }
        /// Creates the type with the given identifier.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

extension NSPasteboard.PasteboardType {
    /// Plain text in UTF-8.
    public static let string = Self("public.utf8-plain-text")
    /// A PDF document.
    public static let pdf = Self("com.adobe.pdf")
    /// A TIFF image.
    public static let tiff = Self("public.tiff")
    /// A PNG image.
    public static let png = Self("public.png")
    /// Rich text.
    public static let rtf = Self("public.rtf")
    /// Rich text with attachments, as one piece of data.
    public static let rtfd = Self("com.apple.flat-rtfd")
    /// HTML.
    public static let html = Self("public.html")
    /// Text in columns, separated by tabs.
    public static let tabularText = Self("public.utf8-tab-separated-values-text")
    /// Character formatting.
    public static let font = Self("com.apple.cocoa.pasteboard.character-formatting")
    /// Paragraph formatting.
    public static let ruler = Self("com.apple.cocoa.pasteboard.paragraph-formatting")
    /// A color.
    public static let color = Self("com.apple.cocoa.pasteboard.color")
    /// A sound.
    public static let sound = Self("com.apple.cocoa.pasteboard.sound")
    /// Several selections in a text.
    public static let multipleTextSelection = Self("com.apple.cocoa.pasteboard.multiple-text-selection")
    /// The options of a search panel.
    public static let textFinderOptions = Self("com.apple.cocoa.pasteboard.find-panel-search-options")
    /// A URL.
    public static let URL = Self("public.url")
    /// The URL of a file.
    public static let fileURL = Self("public.file-url")
    /// A file's contents as a serialized file wrapper.
    public static let fileContents = Self("NXFileContentsPboardType")
}

/// Types for the names and contents of files that have a certain filename extension.
extension NSPasteboard.PasteboardType {
    private static let fileNamePrefix = "NXTypedFilenamePboardType:"
    private static let fileContentsPrefix = "NXTypedFileContentsPboardType:"

    /// Returns the type for names of files that have the given extension; `nil` if the extension is empty.
    public static func fileNameType(forPathExtension pathExtension: String) -> NSPasteboard.PasteboardType! {
        pathExtension.isEmpty ? nil : Self(fileNamePrefix + pathExtension)
    }

    /// Returns the type for contents of files that have the given extension; `nil` if the extension is empty.
    public static func fileContentsType(forPathExtension pathExtension: String) -> NSPasteboard.PasteboardType! {
        pathExtension.isEmpty ? nil : Self(fileContentsPrefix + pathExtension)
    }

    /// The filename extension if ``fileNameType(forPathExtension:)`` or ``fileContentsType(forPathExtension:)`` made
    /// this type; `nil` for any other type.
    public var representedPathExtension: String? {
        for prefix in [Self.fileNamePrefix, Self.fileContentsPrefix] where rawValue.hasPrefix(prefix) {
            let pathExtension = String(rawValue.dropFirst(prefix.count))
            return pathExtension.isEmpty ? nil : pathExtension
        }
        return nil
    }

    /// Returns the filename extensions that the given types represent, without duplicates; `nil` if there are none.
    public static func representedPathExtensions(from types: [NSPasteboard.PasteboardType]) -> [String]? {
        var result: [String] = []
        for pathExtension in types.compactMap(\.representedPathExtension) where !result.contains(pathExtension) {
            result.append(pathExtension)
        }
        return result.isEmpty ? nil : result
    }
}

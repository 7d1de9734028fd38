import Foundation

extension NSPasteboard {
    /// The name of a pasteboard.
    public struct Name: Hashable, RawRepresentable, Sendable {
        /// The name as text.
        public let rawValue: String
        /// Creates a name.
        public init(_ rawValue: String) { self.rawValue = rawValue }
        /// Creates a name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// An option for reading objects.
    public struct ReadingOptionKey: Hashable, RawRepresentable, Sendable {
        /// The option as text.
        public let rawValue: String
        /// Creates an option.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// Options for replacing the contents.
    public struct ContentsOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: UInt
        /// Creates options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Keeps the contents on this machine. On Linux, no contents leave the machine, with or without the option.
        public static var currentHostOnly: ContentsOptions { ContentsOptions(rawValue: 1 << 0) }
    }

    /// Options for writing an object as a type.
    public struct WritingOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: UInt
        /// Creates options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Requests the object's property list only when a client loads it.
        public static var promised: WritingOptions { WritingOptions(rawValue: 1 << 9) }
    }

    /// The form in which a class reads a value.
    public struct ReadingOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: UInt
        /// Creates options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Reads the value as `Data`. This is the default.
        public static var asData: ReadingOptions { [] }
        /// Reads the value as a `String`.
        public static var asString: ReadingOptions { ReadingOptions(rawValue: 1 << 0) }
        /// Reads the value as the contents of a property list.
        public static var asPropertyList: ReadingOptions { ReadingOptions(rawValue: 1 << 1) }
        /// Unarchives an object of the class. The pasteboard initializer of the class is not called.
        public static var asKeyedArchive: ReadingOptions { ReadingOptions(rawValue: 1 << 2) }
    }
}

extension NSPasteboard.Name {
    /// The pasteboard of copy and paste.
    public static let general = Self("Apple CFPasteboard general")
    /// The pasteboard of character formatting.
    public static let font = Self("Apple CFPasteboard font")
    /// The pasteboard of paragraph formatting.
    public static let ruler = Self("Apple CFPasteboard ruler")
    /// The pasteboard of the last search.
    public static let find = Self("Apple CFPasteboard find")
    /// The pasteboard of the items that are being dragged.
    public static let drag = Self("Apple CFPasteboard drag")
}

extension NSPasteboard.ReadingOptionKey {
    /// Whether only the URLs of files are read; a Boolean.
    public static let urlReadingFileURLsOnly = Self(rawValue: "NSPasteboardURLReadingFileURLsOnlyKey")
    /// The type identifiers of files. Only the URLs of files of these types are read.
    public static let urlReadingContentsConformToTypes = Self(
        rawValue: "NSPasteboardURLReadingContentsConformToTypesKey")
}

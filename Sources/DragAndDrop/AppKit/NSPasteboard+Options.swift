import Foundation

extension NSPasteboard {
    /// The name of a pasteboard.
    public struct Name: Hashable, RawRepresentable, Sendable {
        /// The name as text.
        public let rawValue: String
        /// A name.
        public init(_ rawValue: String) { self.rawValue = rawValue }
        /// A name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// What can be asked for when objects are read.
    public struct ReadingOptionKey: Hashable, RawRepresentable, Sendable {
        /// The option as text.
        public let rawValue: String
        /// An option.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// What can be asked for when contents are replaced.
    public struct ContentsOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: UInt
        /// Options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Keeps the contents on this machine, as all contents are kept here.
        public static var currentHostOnly: ContentsOptions { ContentsOptions(rawValue: 1 << 0) }
    }

    /// How an object is written as a type.
    public struct WritingOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: UInt
        /// Options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The object is asked for its property list when somebody wants it, and not before.
        public static var promised: WritingOptions { WritingOptions(rawValue: 1 << 9) }
    }

    /// In which form a class wants what it reads.
    public struct ReadingOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: UInt
        /// Options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// As `Data`; the form without any option.
        public static var asData: ReadingOptions { [] }
        /// As a `String`.
        public static var asString: ReadingOptions { ReadingOptions(rawValue: 1 << 0) }
        /// As what a property list holds.
        public static var asPropertyList: ReadingOptions { ReadingOptions(rawValue: 1 << 1) }
        /// As the object of the class that was archived; no initializer is called.
        public static var asKeyedArchive: ReadingOptions { ReadingOptions(rawValue: 1 << 2) }
    }
}

extension NSPasteboard.Name {
    /// The pasteboard of copy and paste.
    public static let general = Self("Apple CFPasteboard general")
    /// The pasteboard of how characters are set.
    public static let font = Self("Apple CFPasteboard font")
    /// The pasteboard of how paragraphs are set.
    public static let ruler = Self("Apple CFPasteboard ruler")
    /// The pasteboard of what was last searched for.
    public static let find = Self("Apple CFPasteboard find")
    /// The pasteboard of what is being dragged.
    public static let drag = Self("Apple CFPasteboard drag")
}

extension NSPasteboard.ReadingOptionKey {
    /// `true` reads no URLs but those of files.
    public static let urlReadingFileURLsOnly = Self(rawValue: "NSPasteboardURLReadingFileURLsOnlyKey")
    /// An array of type identifiers: reads no URLs but those of files of these types.
    public static let urlReadingContentsConformToTypes = Self(
        rawValue: "NSPasteboardURLReadingContentsConformToTypesKey")
}

import ItemValues

/// The identifier that the provider has chosen for an item. It should stay the same while the item exists. The system
/// also supports providers that change the identifier when they rename or move an item.
///
/// Identifiers are compared byte by byte. Two paths that differ only in their Unicode normal form are different
/// identifiers.
///
/// Source: FileProvider, `NSFileProviderItem.h`.
public struct NSFileProviderItemIdentifier: Hashable, RawRepresentable, Sendable {
    /// The identifier's text. Only the provider interprets it.
    public let rawValue: String
    /// Creates an identifier from a text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// Creates an identifier from a text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Whether two identifiers have the same bytes.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue.hasSameBytes(as: right.rawValue) }
    // Replaces the standard library's operator for raw values, which compares them as strings and not byte by byte.
    /// Whether two identifiers have different bytes.
    public static func != (left: Self, right: Self) -> Bool { !(left == right) }
    /// Hashes the bytes of the identifier.
    public func hash(into hasher: inout Hasher) { ExactText(rawValue).hash(into: &hasher) }

    /// The root of a domain.
    public static let rootContainer = Self(ProviderItem.rootIdentifier)
    /// The working set: the items that currently interest the user. The working set is not a directory. Its enumerator
    /// reports the changes of the whole domain.
    public static let workingSet = Self(ProviderItem.workingSetIdentifier)
    /// The trash.
    public static let trashContainer = Self(ProviderItem.trashIdentifier)
}

/// The identifier that the provider has chosen for one of its domains.
///
/// Source: FileProvider, `NSFileProviderDomain.h`.
public struct NSFileProviderDomainIdentifier: Hashable, RawRepresentable, Sendable {
    /// The identifier's text: at least one character, without `/` and `:`.
    public let rawValue: String
    /// Creates an identifier from a text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// Creates an identifier from a text.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of a custom action in a provider's property list.
///
/// Source: FileProvider, `NSFileProviderActions.h`.
public struct NSFileProviderExtensionActionIdentifier: Hashable, RawRepresentable, Sendable {
    /// The identifier's text.
    public let rawValue: String
    /// Creates an identifier from a text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// Creates an identifier from a text.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// The identifier of a badge or label in a provider's property list.
///
/// Source: FileProvider, `NSFileProviderItemDecoration.h`.
public struct NSFileProviderItemDecorationIdentifier: Hashable, RawRepresentable, Sendable {
    /// The identifier's text.
    public let rawValue: String
    /// Creates an identifier from a text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// Creates an identifier from a text.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// What a provider calls an item: the same for as long as the item exists, whatever it is named and wherever it is.
///
/// Source: FileProvider, `NSFileProviderItem.h`.
public struct NSFileProviderItemIdentifier: Hashable, RawRepresentable, Sendable {
    /// The identifier's text, which means something to the provider only.
    public let rawValue: String
    /// An identifier of a text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// An identifier of a text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The folder that holds everything else of a domain.
    public static let rootContainer = Self(ProviderItem.rootIdentifier)
    /// No folder, but a set: what is of interest to the person at the moment. Its changes are those of the whole domain.
    public static let workingSet = Self(ProviderItem.workingSetIdentifier)
    /// The folder of what was put into the trash.
    public static let trashContainer = Self(ProviderItem.trashIdentifier)
}

/// What a provider calls one of its domains.
///
/// Source: FileProvider, `NSFileProviderDomain.h`.
public struct NSFileProviderDomainIdentifier: Hashable, RawRepresentable, Sendable {
    /// The identifier's text: at least one character, and neither `/` nor `:`.
    public let rawValue: String
    /// An identifier of a text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// An identifier of a text.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// What a provider's property list calls an action of its own.
///
/// Source: FileProvider, `NSFileProviderActions.h`.
public struct NSFileProviderExtensionActionIdentifier: Hashable, RawRepresentable, Sendable {
    /// The identifier's text.
    public let rawValue: String
    /// An identifier of a text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// An identifier of a text.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// What a provider's property list calls a badge or label.
///
/// Source: FileProvider, `NSFileProviderItemDecoration.h`.
public struct NSFileProviderItemDecorationIdentifier: Hashable, RawRepresentable, Sendable {
    /// The identifier's text.
    public let rawValue: String
    /// An identifier of a text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// An identifier of a text.
    public init(rawValue: String) { self.rawValue = rawValue }
}

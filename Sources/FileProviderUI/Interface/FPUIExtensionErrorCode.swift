/// The domain of the errors with which an action's extension ends what it was asked for.
public let FPUIErrorDomain = "FPUIErrorDomain"

/// Why an action was not done: the codes of ``FPUIErrorDomain``.
///
/// Source: FileProviderUI, `FPUIActionExtensionContext.h`.
public enum FPUIExtensionErrorCode: UInt, Sendable {
    /// The person did not want it any more.
    case userCancelled = 0
    /// It could not be done.
    case failed = 1
}

/// What a property list calls an action.
///
/// Source: FileProviderUI, `FPUIActionExtensionContext.h`.
public struct FPUIActionIdentifier: Hashable, RawRepresentable, Sendable {
    /// The identifier's text.
    public let rawValue: String
    /// An identifier of a text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// An identifier of a text.
    public init(rawValue: String) { self.rawValue = rawValue }
}

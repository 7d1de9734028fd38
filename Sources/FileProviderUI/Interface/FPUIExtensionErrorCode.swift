/// The domain of the errors with which an action's extension ends its request.
public let FPUIErrorDomain = "FPUIErrorDomain"

/// The reasons why an action was not done: the codes of ``FPUIErrorDomain``.
///
/// Source: FileProviderUI, `FPUIActionExtensionContext.h`.
public enum FPUIExtensionErrorCode: UInt, Sendable {
    /// Cancellation by the user.
    case userCancelled = 0
    /// A failure.
    case failed = 1
}

/// The identifier of an action in a property list.
///
/// Source: FileProviderUI, `FPUIActionExtensionContext.h`.
public struct FPUIActionIdentifier: Hashable, RawRepresentable, Sendable {
    /// The identifier's text.
    public let rawValue: String
    /// Creates an identifier from a text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// Creates an identifier from a text.
    public init(rawValue: String) { self.rawValue = rawValue }
}

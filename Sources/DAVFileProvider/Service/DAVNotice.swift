/// A service's notice of changes.
public enum DAVNotice: Sendable {
    /// The items with these identities, or items within them, were changed.
    case items([String])
    /// Anything may have been changed.
    case anything
}

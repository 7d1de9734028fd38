/// A service's notice of changes.
public enum DAVNotice: Sendable {
    /// The items with these identities, or their descendants, were changed.
    case items([String])
    /// Any items may have been changed.
    case anything
}

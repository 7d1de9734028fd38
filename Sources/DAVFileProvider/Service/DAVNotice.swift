/// A service's notice of changes.
public enum DAVNotice: Sendable {
    /// Items with these identities were changed, or something in them was.
    case items([String])
    /// Anything may have been changed.
    case anything
}

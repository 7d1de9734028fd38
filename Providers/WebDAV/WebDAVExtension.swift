import DAVFileProvider

/// The provider for servers without extensions of WebDAV.
///
/// Sendable: it adds nothing to its superclass.
final class WebDAVExtension: DAVExtension, @unchecked Sendable {}

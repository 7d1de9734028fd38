import DAVFileProvider

/// The provider for servers that have nothing beyond WebDAV.
///
/// Sendable: it adds nothing to its superclass.
final class WebDAVExtension: DAVExtension, @unchecked Sendable {}

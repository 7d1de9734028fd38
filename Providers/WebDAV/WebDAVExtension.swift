import DAVFileProvider

/// The provider for servers that have no features beyond WebDAV.
///
/// Sendable: it adds no state to its superclass.
final class WebDAVExtension: DAVExtension, @unchecked Sendable {}

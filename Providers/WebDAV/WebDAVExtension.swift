import DAVFileProvider

/// The provider for servers that have nothing beyond WebDAV.
final class WebDAVExtension: DAVExtension {}

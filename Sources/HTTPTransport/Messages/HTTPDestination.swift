import LinuxSystem

/// The place for the body of a successful response. Bodies of other statuses go to ``HTTPResponse/body``, so that an
/// error page is not mistaken for a file's contents.
public enum HTTPDestination: Sendable {
    /// ``HTTPResponse/body``, up to a number of bytes. A longer body ends the request with
    /// ``HTTPError/bodyTooLong(_:limit:)``.
    case memory(limit: Int)
    /// A regular file or memory file, from an offset on. If the request fails, some bytes may have been written. If the
    /// request was repeated, bytes after ``HTTPResponse/deliveredCount`` may be from an earlier attempt.
    case file(FileDescriptor, offset: Int)
    /// Nowhere; the body is only counted.
    case nowhere
}

/// The place for the body of one transfer: that of the request, or a buffer that the caller reads during the transfer.
enum TransferDestination: Sendable {
    case plain(HTTPDestination)
    case stream(StreamBuffer)
}

/// The method of a request, case-sensitive.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word in the request.
    public let rawValue: String

    /// Creates a method from a word of upper-case letters and hyphens. A request with any other word fails with
    /// ``HTTPError/invalidHeader(_:)``.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Gets a file.
    public static let get = HTTPMethod(rawValue: "GET")
    /// Gets the head of a response to ``get``.
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// Requests the server's capabilities.
    public static let options = HTTPMethod(rawValue: "OPTIONS")
    /// Writes a file.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// Passes data to a program of the server.
    public static let post = HTTPMethod(rawValue: "POST")
    /// Removes a file, or a directory with everything in it.
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// Reads properties, and lists directories (WebDAV).
    public static let propfind = HTTPMethod(rawValue: "PROPFIND")
    /// Changes properties (WebDAV).
    public static let proppatch = HTTPMethod(rawValue: "PROPPATCH")
    /// Makes a directory (WebDAV).
    public static let mkcol = HTTPMethod(rawValue: "MKCOL")
    /// Copies a file or directory at the server (WebDAV).
    public static let copy = HTTPMethod(rawValue: "COPY")
    /// Moves a file or directory at the server (WebDAV).
    public static let move = HTTPMethod(rawValue: "MOVE")
    /// Locks a file or directory (WebDAV).
    public static let lock = HTTPMethod(rawValue: "LOCK")
    /// Removes a lock (WebDAV).
    public static let unlock = HTTPMethod(rawValue: "UNLOCK")
    /// Requests a report, such as a list of changes (WebDAV).
    public static let report = HTTPMethod(rawValue: "REPORT")
    /// Searches at the server (WebDAV).
    public static let search = HTTPMethod(rawValue: "SEARCH")

    /// Whether the method only reads, so that it may be repeated and redirected at any time.
    public var isSafe: Bool { Self.safe.contains(self) }

    /// Whether a request can be repeated if its first attempt succeeded and the reply was lost. A repeated `MKCOL` or
    /// `LOCK` would fail because of the first attempt.
    var isRepeatable: Bool { isSafe || [.put, .delete, .proppatch, .unlock].contains(self) }

    /// The word in the request.
    public var description: String { rawValue }

    var isValid: Bool {
        !rawValue.isEmpty
            && rawValue.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0) || $0 == UInt8(ascii: "-") }
    }

    private static let safe: Set<HTTPMethod> = [.get, .head, .options, .propfind, .report, .search]
}

import XMLStream

/// An element `response` of a multistatus: the properties of one file or directory, or the status of an operation on
/// several of them (RFC 4918, section 14.24).
struct DAVResponse: Sendable {
    /// The addresses as the server wrote them. A response with properties has one address.
    let hrefs: [String]
    /// The status of the whole response, if there are no properties.
    let status: Int?
    /// The properties with values that the server returned.
    let properties: [DAVElement]
    /// The properties that the server does not have or did not change, each with its status.
    let failures: [(name: XMLName, status: Int)]

    init(_ element: DAVElement) {
        hrefs = element.children.filter { $0.name == .dav("href") }.map { String($0.text.trimmed) }
        status = element.child("status").flatMap { Self.status($0.text) }
        var properties: [DAVElement] = []
        var failures: [(name: XMLName, status: Int)] = []
        for part in element.children where part.name == .dav("propstat") {
            // Some servers omit the status for properties that exist.
            let status = part.child("status").flatMap { Self.status($0.text) } ?? 200
            let found = part.child("prop")?.children ?? []
            if 200..<300 ~= status {
                properties += found
            } else {
                failures += found.map { ($0.name, status) }
            }
        }
        self.properties = properties
        self.failures = failures
    }

    /// The status of the file or directory if the server could not read it; `nil` if it has properties.
    var failure: Int? {
        if let status { return 200..<300 ~= status ? nil : status }
        // Without `resourcetype`, a directory would be mistaken for a file. Some servers reply with 404 for the
        // `resourcetype` of files.
        return failures.first { $0.name == .dav("resourcetype") && $0.status != 404 }?.status
    }

    /// Parses the status in a line such as `HTTP/1.1 404 Not Found`; `nil` for any other text.
    private static func status(_ line: String) -> Int? {
        line.split(separator: " ").prefix(2).lazy.compactMap { Int($0.trimmed) }.first { 100..<600 ~= $0 }
    }
}

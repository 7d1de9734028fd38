import HTTPTransport
import WebDAVClient
import XMLStream

/// A value in a reply of Nextcloud's programming interface (OCS), read from the reply's XML.
///
///     let data = try await client.ocs(.get, "cloud/user")
///     data["quota"]["free"].number
struct OCSValue: Sendable {
    /// The XML element of the value; `nil` if the reply does not contain it.
    let element: DAVElement?

    /// The value with the given name within this value. If there is none, the element of the result is `nil`.
    subscript(_ name: String) -> OCSValue {
        OCSValue(element: element?.children.first { $0.name.local == name })
    }

    /// The text, or `nil` if it is empty.
    var text: String? {
        let text = element?.text.trimmed ?? ""
        return text.isEmpty ? nil : String(text)
    }

    var number: Int64? { text.flatMap { Int64($0) } }

    /// Whether the text is `1` or `true`.
    var isTrue: Bool { ["1", "true"].contains(text ?? "") }

    var exists: Bool { element != nil }

    /// The elements of a list.
    var list: [OCSValue] { element?.children.filter { $0.name.local == "element" }.map { OCSValue(element: $0) } ?? [] }

    /// The texts of the elements of a list.
    var texts: [String] { list.map { String($0.element?.text ?? "") } }
}

extension NextcloudClient {
    /// Calls a function of the OCS interface.
    ///
    /// - Parameters:
    ///   - path: the path after `ocs/v2.php/`.
    ///   - fields: the arguments. They are sent in the query if the method only reads, and else in the body.
    /// - Returns: the data of the reply.
    func ocs(
        _ method: HTTPMethod, _ path: String, _ fields: [(name: String, value: String)] = []
    ) async throws(DAVError) -> OCSValue {
        let form = fields.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&")
        var address = try page("ocs/v2.php/\(path)")
        if method.isSafe, !form.isEmpty { address = address.with(query: form) }
        var request = files.request(method, address)
        if !method.isSafe, !form.isEmpty {
            request.headers["Content-Type"] = "application/x-www-form-urlencoded"
            request.body = .text(form)
        }
        request.headers["OCS-APIRequest"] = "true"
        request.headers["Accept"] = "application/xml"
        request.acceptsCompression = true
        let response = try await files.attempt(request, to: .memory(limit: 4 << 20))
        return try Self.data(of: response, path)
    }

    /// Decodes a reply. An error has a status in the body of the reply, and often an HTTP status as well.
    private static func data(of response: HTTPResponse, _ path: String) throws(DAVError) -> OCSValue {
        let root: DAVElement
        do {
            root = try DAVTreeBuilder.document(response.body)
        } catch {
            guard response.isSuccess else { throw DAVError(status: response.status, path, response, .get) }
            throw .unreadable(response, beginning: response.body, error.description)
        }
        let reply = OCSValue(element: root)
        guard root.name.local == "ocs", let status = reply["meta"]["statuscode"].number else {
            guard response.isSuccess else { throw DAVError(status: response.status, path, response, .get) }
            throw .unreadable(response, beginning: response.body, "it is not a reply of Nextcloud's interface")
        }
        let message = reply["meta"]["message"].text.map { String($0.prefix(300)) }
        switch status {
        case 100, 200..<300: return reply["data"]
        case 997, 401: throw .notSignedIn(response.address.origin)
        case 998, 404: throw .notFound(message ?? path)
        case 400, 403: throw .forbidden(path, reason: message)
        default:
            guard !response.isSuccess else { throw .forbidden(path, reason: message ?? "status \(status)") }
            throw DAVError(status: response.status, path, response, .get)
        }
    }
}

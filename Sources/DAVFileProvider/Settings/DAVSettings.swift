import Foundation
import HTTPTransport

/// The settings of a domain, as the user passes them to `purvey domains add` and `purvey domains set`.
public struct DAVSettings: Sendable {
    /// A method of authentication.
    public enum Authentication: String, Sendable {
        case basic, digest, bearer
    }

    /// The server's address; for plain WebDAV, the address of the folder.
    public let address: HTTPAddress
    /// The user's account name at the server.
    public let user: String?
    /// The authentication method; `nil` to use the one that the server requests.
    public let authentication: Authentication?
    /// The fingerprint of the certificate that the user accepted for this domain.
    public let certificate: HTTPFingerprint?
    /// The path of a file with the certificates of further authorities.
    public let authorities: String?
    /// The maximum numbers of bytes that are downloaded and uploaded per second; `nil` for no limit.
    public let downloadLimit, uploadLimit: Int?
    /// The seconds until the first check of a folder that was just listed or changed; `nil` for the default of the
    /// service.
    public let poll: Int?
    /// All settings, including those of only one kind of service.
    public let values: [String: String]

    /// Parses settings.
    ///
    /// - Throws: ``DAVSetUpError`` for the first invalid setting.
    public init(_ values: [String: String]) throws(DAVSetUpError) {
        self.values = values
        guard let text = values["url"], !text.isEmpty else {
            throw DAVSetUpError("The address is missing: add url= and the address of the folder.")
        }
        address = try Self.address(text)
        user = values["user"].flatMap { $0.isEmpty ? nil : $0 }
        authentication = try values["authentication"].map { (text) throws(DAVSetUpError) in
            guard let kind = Authentication(rawValue: text.lowercased()) else {
                throw DAVSetUpError("“authentication” is basic, digest or bearer, not “\(text)”.")
            }
            return kind
        }
        certificate = try values["certificate"].map { (text) throws(DAVSetUpError) in
            let digits = text.uppercased().hasPrefix("SHA256:") ? String(text.dropFirst(7)) : text
            guard let fingerprint = HTTPFingerprint(digits) else {
                throw DAVSetUpError("“certificate” is SHA256: and 64 hexadecimal digits, not “\(text)”.")
            }
            return fingerprint
        }
        authorities = values["ca"].flatMap { $0.isEmpty ? nil : $0 }
        (uploadLimit, downloadLimit) = try Self.limits(values["bandwidth"])
        poll = try values["poll"].map { (text) throws(DAVSetUpError) in
            guard let seconds = Int(text), 5...86_400 ~= seconds else {
                throw DAVSetUpError("“poll” is a number of seconds from 5 to 86400, not “\(text)”.")
            }
            return seconds
        }
    }

    /// Creates settings from the user information that is stored with a domain.
    public init(userInfo: [AnyHashable: Any]?) throws(DAVSetUpError) {
        var values: [String: String] = [:]
        for (key, value) in userInfo ?? [:] {
            if let key = key as? String, let value = value as? String { values[key] = value }
        }
        try self.init(values)
    }

    /// Parses an address. The scheme is `https` if the text has none.
    private static func address(_ text: String) throws(DAVSetUpError) -> HTTPAddress {
        do {
            let whole = text.contains("://") ? text : "https://" + text
            let address = try HTTPAddress(whole.hasPrefix("dav") ? "http" + whole.dropFirst(3) : whole)
            return address.with(query: nil).asDirectory
        } catch {
            throw DAVSetUpError("\(error)".asSentence)
        }
    }

    /// Parses `UP/DOWN`, or one number for both directions, each in bytes per second with an optional suffix `K`, `M`
    /// or `G`.
    private static func limits(_ text: String?) throws(DAVSetUpError) -> (up: Int?, down: Int?) {
        guard let text, !text.isEmpty else { return (nil, nil) }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        var limits: [Int?] = []
        for part in parts {
            guard let limit = count(part) else {
                throw DAVSetUpError("“bandwidth” is UP/DOWN in bytes per second, such as 500K/2M, not “\(text)”.")
            }
            limits.append(limit == 0 ? nil : limit)
        }
        guard let up = limits.first, limits.count <= 2 else {
            throw DAVSetUpError("“bandwidth” is UP/DOWN in bytes per second, such as 500K/2M, not “\(text)”.")
        }
        return (up, limits.count == 2 ? limits[1] : up)
    }

    private static func count(_ text: Substring) -> Int? {
        let factors: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
        guard let last = text.last else { return 0 }
        let factor = factors[Character(last.uppercased())]
        guard let number = Int(factor == nil ? text : text.dropLast()), number >= 0 else { return nil }
        let (product, isTooLarge) = number.multipliedReportingOverflow(by: factor ?? 1)
        return isTooLarge ? nil : product
    }

    /// Returns the settings of the connections.
    ///
    /// - Throws: ``DAVSetUpError`` if the file with authorities cannot be read. Blocks.
    package func configuration(for root: HTTPAddress) throws(DAVSetUpError) -> HTTPConfiguration {
        var configuration = HTTPConfiguration()
        if let certificate { configuration.trust.accepted[root.origin] = certificate }
        if let authorities {
            guard let data = FileManager.default.contents(atPath: authorities) else {
                throw DAVSetUpError("The file “\(authorities)” with certificates cannot be read.")
            }
            configuration.trust.authorities = [UInt8](data)
        }
        configuration.downloadLimit = downloadLimit
        configuration.uploadLimit = uploadLimit
        return configuration
    }
}

extension String {
    /// The text with a capital letter at its beginning and a period at its end.
    package var asSentence: String {
        guard let first else { return self }
        let end = hasSuffix(".") || hasSuffix("?") || hasSuffix("!") ? "" : "."
        let isAddress = prefix { $0 != " " }.contains("://")
        return (isAddress ? String(first) : first.uppercased()) + dropFirst() + end
    }
}

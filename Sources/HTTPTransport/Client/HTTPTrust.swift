import CCurl

/// The SHA-256 digest of a certificate, by which a user recognizes it.
public struct HTTPFingerprint: Hashable, Sendable, LosslessStringConvertible {
    /// The 32 bytes.
    public let bytes: [UInt8]

    /// Parses 64 hexadecimal digits, with or without colons and spaces between them.
    public init?(_ description: String) {
        let digits = description.utf8.filter { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: " ") }
        let values = digits.compactMap { String.hexadecimalDigit($0) }
        guard values.count == digits.count, values.count == 2 * Int(CCURL_FINGERPRINT_SIZE) else { return nil }
        bytes = stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Pairs of hexadecimal digits with colons, the form in which other programs show a fingerprint.
    public var description: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
    }
}

/// The certificates that a client trusts.
public struct HTTPTrust: Sendable {
    /// Certificates of authorities in PEM, in addition to those of the system.
    public var authorities: [UInt8]?
    /// The fingerprints of certificates that the user accepted, each for one server. Such a certificate may be expired,
    /// self-signed, or issued for another name. If a server presents another certificate, that certificate must satisfy
    /// the usual rules.
    public var accepted: [HTTPOrigin: HTTPFingerprint] = [:]

    /// Creates rules that trust the certificates of the system's authorities.
    public init() {}

    /// The rules that trust the certificates of the system's authorities.
    public static let system = HTTPTrust()
}

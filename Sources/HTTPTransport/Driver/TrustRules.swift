import CCurl

/// The rules by which the certificates of one server are checked. Only one thread uses them.
final class TrustRules {
    let pointer: OpaquePointer
    private let accepted: HTTPFingerprint?

    /// Creates rules; returns `nil` if no certificate of the additional authorities is valid.
    init?(_ trust: HTTPTrust, for origin: HTTPOrigin) {
        let accepted = trust.accepted[origin]
        let authorities = trust.authorities ?? []
        let pointer = authorities.withUnsafeBytes { authorities in
            ccurl_trust_create(
                trust.authorities == nil ? nil : authorities.baseAddress, authorities.count, accepted?.bytes,
                origin.host)
        }
        guard let pointer else { return nil }
        self.pointer = pointer
        self.accepted = accepted
    }

    deinit { ccurl_trust_free(pointer) }

    /// The last certificate of the server that was not trusted.
    var refused: HTTPError.UntrustedCertificate {
        var bytes = [UInt8](repeating: 0, count: Int(CCURL_FINGERPRINT_SIZE))
        let isPresent = ccurl_trust_fingerprint(pointer, &bytes) != 0
        // OpenSSL reports no reason if only the name differs, because libcurl compares the names.
        let reason = ccurl_trust_reason(pointer).map { String(cString: $0) } ?? "it is for another name"
        return HTTPError.UntrustedCertificate(
            fingerprint: isPresent ? HTTPFingerprint(bytes: bytes) : nil, reason: reason, accepted: accepted)
    }
}

import Foundation
import HTTPTransport
import Security

/// A store of the passwords of a domain.
package protocol DAVPasswordStore: Sendable {
    /// Returns the password of a user; `nil` if none is stored. Blocks.
    func password(for user: String, at origin: HTTPOrigin, domain: String) throws -> String?

    /// Stores a password, which replaces an earlier one. Blocks.
    func store(_ password: String, for user: String, at origin: HTTPOrigin, domain: String) throws
}

/// The passwords in the user's keychain, accessed by the functions of the module `Security`.
package struct KeychainPasswords: DAVPasswordStore {
    package init() {}

    private func query(_ user: String, _ origin: HTTPOrigin, _ domain: String) -> [String: Any] {
        [
            kSecClass as String: kSecClassInternetPassword,
            kSecAttrServer as String: origin.host,
            kSecAttrPort as String: origin.port,
            kSecAttrProtocol as String: origin.isSecure ? kSecAttrProtocolHTTPS : kSecAttrProtocolHTTP,
            kSecAttrAccount as String: user,
            kSecAttrPath as String: domain,
        ]
    }

    package func password(for user: String, at origin: HTTPOrigin, domain: String) throws -> String? {
        var query = query(user, origin, domain)
        query[kSecReturnData as String] = true
        var found: CFTypeRef?
        switch SecItemCopyMatching(query as CFDictionary, &found) {
        case errSecSuccess: return (found as? Data).flatMap { String(data: $0, encoding: .utf8) }
        case errSecItemNotFound: return nil
        case let status: throw Self.error(status)
        }
    }

    package func store(_ password: String, for user: String, at origin: HTTPOrigin, domain: String) throws {
        let query = query(user, origin, domain)
        let value = [kSecValueData as String: Data(password.utf8)]
        var status = SecItemUpdate(query as CFDictionary, value as CFDictionary)
        if status == errSecItemNotFound {
            status = SecItemAdd(query.merging(value) { $1 } as CFDictionary, nil)
        }
        guard status == errSecSuccess else { throw Self.error(status) }
    }

    private static func error(_ status: OSStatus) -> DAVSetUpError {
        if status == errSecInteractionNotAllowed {
            return DAVSetUpError("The keyring with the passwords is locked: unlock it ('purvey keyring unlock').")
        }
        let reason = SecCopyErrorMessageString(status, nil).map { "\($0)" } ?? "error \(status)"
        return DAVSetUpError("The store of passwords cannot be used: \(reason)".asSentence)
    }
}

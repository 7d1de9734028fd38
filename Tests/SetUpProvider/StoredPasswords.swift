import Foundation
import Security

/// The passwords of a domain, stored as providers for Apple's platforms store them.
struct StoredPasswords: Sendable {
    let domain: String

    private static let server = "cloud.example"

    /// Stores a password, replacing an earlier one.
    func store(_ password: String, for account: String) {
        let query: [String: Any] = [
            kSecClass as String: kSecClassInternetPassword, kSecAttrServer as String: Self.server,
            kSecAttrPath as String: domain,
        ]
        _ = SecItemDelete(query as CFDictionary)
        var item = query
        item[kSecAttrAccount as String] = account
        item[kSecValueData as String] = Data(password.utf8)
        _ = SecItemAdd(item as CFDictionary, nil)
    }

    /// All passwords that this provider can read, each as `account:password`.
    var reached: [String] {
        let query: [String: Any] = [
            kSecClass as String: kSecClassInternetPassword, kSecMatchLimit as String: kSecMatchLimitAll,
            kSecReturnAttributes as String: true, kSecReturnData as String: true,
        ]
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        guard status == errSecSuccess, let items = found as? [[String: Any]] else {
            return status == errSecItemNotFound ? [] : ["failed(\(status))"]
        }
        return items.map { item in
            let account = item[kSecAttrAccount as String] as? String ?? "?"
            let password = (item[kSecValueData as String] as? Data).map { String(decoding: $0, as: UTF8.self) }
            return "\(account):\(password ?? "?")"
        }
    }
}

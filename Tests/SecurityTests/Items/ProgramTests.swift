import Conduit
import Foundation
import SecretStorage
import Secrets
import Security
import Testing

// Idioms of programs for Apple's platforms, as they stand in their sources.

extension SecItemTests {
    @Test func tokensThatAreRemovedAndAddedAgainAreReplaced() throws {
        func save(_ token: String) -> Bool {
            guard let data = token.data(using: .utf8) else { return false }
            let query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword as String,
                kSecAttrAccount as String: "token",
                kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
                kSecValueData as String: data,
            ]
            SecItemDelete(query as CFDictionary)
            return SecItemAdd(query as CFDictionary, nil) == noErr
        }
        func load() -> String? {
            let query =
                [
                    kSecClass: kSecClassGenericPassword,
                    kSecAttrAccount: "token",
                    kSecReturnData: kCFBooleanTrue!,
                    kSecMatchLimit: kSecMatchLimitOne,
                ] as [CFString: Any]
            var dataTypeRef: AnyObject?
            let status: OSStatus = SecItemCopyMatching(query as CFDictionary, &dataTypeRef)
            guard status == noErr, let data = dataTypeRef as! Data? else { return nil }
            return String(data: data, encoding: .utf8)
        }
        #expect(load() == nil)
        #expect(save("one"))
        #expect(save("two"))
        #expect(load() == "two")
    }

    @Test func itemsAreUpdatedOrElseAdded() throws {
        struct KeychainError: LocalizedError {
            let status: OSStatus
            var errorDescription: String? { SecCopyErrorMessageString(status, nil) as String? }
        }
        func set(_ data: Data, for key: String) throws {
            var query: [String: AnyObject] = [:]
            query[kSecClass as String] = kSecClassGenericPassword
            query[kSecAttrService as String] = "org.example" as AnyObject
            query[kSecAttrAccount as String] = key as AnyObject?
            query[kSecUseDataProtectionKeychain as String] = kCFBooleanTrue
            var status = SecItemCopyMatching(query as CFDictionary, nil)
            switch status {
            case errSecSuccess:
                status = SecItemUpdate(query as CFDictionary, [String(kSecValueData): data] as CFDictionary)
            case errSecItemNotFound:
                query[kSecValueData as String] = data as AnyObject
                status = SecItemAdd(query as CFDictionary, nil)
            default: break
            }
            guard status == errSecSuccess else { throw KeychainError(status: status) }
        }
        try set(Data([1]), for: "key")
        try set(Data([2]), for: "key")
        let query = NSMutableDictionary()
        query[kSecClass] = kSecClassGenericPassword
        query.setObject("org.example", forKey: kSecAttrService as NSString)
        query[kSecReturnData] = true
        var result: AnyObject?
        let status = withUnsafeMutablePointer(to: &result) { SecItemCopyMatching(query, UnsafeMutablePointer($0)) }
        #expect(status == errSecSuccess)
        #expect(result as? NSData == NSData(data: Data([2])))
        #expect(KeychainError(status: errSecItemNotFound).localizedDescription == "The item does not exist.")
    }

    @Test func credentialsOfAServerAreRead() throws {
        let attributes: [String: Any] = [
            kSecClass as String: kSecClassInternetPassword, kSecAttrServer as String: "cloud.example",
            kSecAttrAccount as String: "ada", kSecValueData as String: "pass".data(using: .utf8)!,
        ]
        #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecSuccess)
        let query: [String: Any] = [
            kSecClass as String: kSecClassInternetPassword, kSecAttrServer as String: "cloud.example",
            kSecMatchLimit as String: kSecMatchLimitOne, kSecReturnAttributes as String: true,
            kSecReturnData as String: true,
        ]
        var item: CFTypeRef?
        #expect(SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess)
        guard let existing = item as? [String: Any], let data = existing[kSecValueData as String] as? Data,
            let password = String(data: data, encoding: .utf8),
            let account = existing[kSecAttrAccount as String] as? String
        else {
            Issue.record("the item has another form")
            return
        }
        #expect((account, password) == ("ada", "pass"))
        let dictionary = item as? NSDictionary
        #expect(dictionary?[kSecAttrAccount] as? String == "ada")
    }

    @Test func signingOutRemovesAllClasses() {
        add("a")
        for itemClass in [
            kSecClassGenericPassword, kSecClassInternetPassword, kSecClassCertificate, kSecClassKey, kSecClassIdentity,
        ] {
            let status = SecItemDelete([kSecClass as String: itemClass] as CFDictionary)
            #expect(status == errSecSuccess || status == errSecItemNotFound)
        }
        #expect(found("a").status == errSecItemNotFound)
    }

    @Test func theFunctionsWorkOverAConnection() async throws {
        var service = Service()
        SecretService(test.store).addCalls(to: &service) { _ in AccessGroups(["app"]) }
        let (client, _) = try Connection.pair(Service(), service)
        defer { client.close() }
        SharedSecrets.use(ConnectedSecrets(client))
        // The functions wait for replies, which no thread of Swift's tasks may.
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                #expect(add("a") == errSecSuccess)
                #expect(add("a") == errSecDuplicateItem)
                #expect(found("a") == (errSecSuccess, "secret"))
                #expect(SecItemUpdate(query("a"), [kSecAttrAccount: "bob"] as CFDictionary) == errSecSuccess)
                #expect(SecItemDelete(query("a", "bob")) == errSecSuccess)
                #expect(SecItemDelete(query("a", "bob")) == errSecItemNotFound)
                continuation.resume()
            }
        }
        client.close()
        while client.closeReason == nil { await Task.yield() }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                #expect(add("a") == errSecNotAvailable)
                continuation.resume()
            }
        }
    }
}

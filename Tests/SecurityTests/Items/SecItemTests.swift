import Foundation
import SecretStorage
import Secrets
import Security
import Testing

/// Tests of the functions of `Security`, each with a separate store. The functions use one store per process, so the
/// tests run one after the other.
@Suite(.serialized) struct SecItemTests {
    let test: TestStore

    init() throws {
        test = try TestStore()
        become("app", "shared")
    }

    /// Gives this process some access groups.
    func become(_ groups: String...) { SharedSecrets.use(LocalSecrets(test.store, groups: AccessGroups(groups))) }

    /// Returns a query for a generic password.
    func query(_ service: String, _ account: String? = nil, _ more: [String: Any] = [:]) -> CFDictionary {
        var query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
        ]
        if let account { query[kSecAttrAccount as String] = account }
        query.merge(more) { $1 }
        return query as CFDictionary
    }

    /// Adds a generic password.
    @discardableResult
    func add(_ service: String, _ account: String = "ada", _ text: String = "secret") -> OSStatus {
        SecItemAdd(query(service, account, [kSecValueData as String: Data(text.utf8)]), nil)
    }

    /// Returns the status of a search and the text of the password that it finds.
    func found(_ service: String, _ more: [String: Any] = [:]) -> (status: OSStatus, text: String?) {
        var result: CFTypeRef?
        let status = SecItemCopyMatching(
            query(service, nil, more.merging([kSecReturnData as String: true]) { $1 }), &result)
        return (status, (result as? Data).map { String(decoding: $0, as: UTF8.self) })
    }

    @Test func withoutAStoreAllCallsFail() {
        SharedSecrets.use(nil)
        #expect(add("a") == errSecNotAvailable)
        #expect(SecItemCopyMatching(query("a"), nil) == errSecNotAvailable)
        #expect(SecItemUpdate(query("a"), [kSecAttrLabel as String: "b"] as CFDictionary) == errSecNotAvailable)
        #expect(SecItemDelete(query("a")) == errSecNotAvailable)
    }

    @Test func resultsHaveASentence() throws {
        for status in [errSecItemNotFound, errSecDuplicateItem, errSecParam, errSecMissingEntitlement] {
            #expect(try #require(SecCopyErrorMessageString(status, nil) as String?).hasSuffix("."))
        }
        #expect(SecCopyErrorMessageString(12_345, nil) == nil)
    }
}

// MARK: Adding

extension SecItemTests {
    @Test func anAddedItemIsFound() {
        #expect(add("a") == errSecSuccess)
        #expect(found("a") == (errSecSuccess, "secret"))
        #expect(found("b") == (errSecItemNotFound, nil))
    }

    @Test func anItemWithTheSamePrimaryKeyIsADuplicate() {
        #expect(add("a") == errSecSuccess)
        #expect(add("a", "ada", "other") == errSecDuplicateItem)
        #expect(found("a").text == "secret")
        #expect(add("a", "bob") == errSecSuccess)
    }

    @Test func anItemWithoutAnAccountHasTheEmptyAccount() {
        #expect(SecItemAdd(query("a"), nil) == errSecSuccess)
        #expect(SecItemAdd(query("a", ""), nil) == errSecDuplicateItem)
        #expect(SecItemCopyMatching(query("a", ""), nil) == errSecSuccess)
    }

    @Test func namesInDifferentNormalFormsAreDifferent() {
        #expect(add("a", "\u{E9}") == errSecSuccess)
        #expect(add("a", "e\u{301}") == errSecSuccess)
    }

    @Test func internetPasswordsDifferByServerPathAndPort() {
        func internet(_ more: [CFString: Any]) -> CFDictionary {
            let base: [CFString: Any] = [
                kSecClass: kSecClassInternetPassword, kSecAttrServer: "cloud.example",
                kSecAttrProtocol: kSecAttrProtocolHTTPS, kSecAttrAccount: "ada",
                kSecAttrAuthenticationType: kSecAttrAuthenticationTypeHTTPBasic, kSecValueData: Data("x".utf8),
            ]
            return base.merging(more) { $1 } as CFDictionary
        }
        #expect(SecItemAdd(internet([:]), nil) == errSecSuccess)
        #expect(SecItemAdd(internet([:]), nil) == errSecDuplicateItem)
        #expect(SecItemAdd(internet([kSecAttrPort: 8443]), nil) == errSecSuccess)
        #expect(SecItemAdd(internet([kSecAttrPath: "/dav"]), nil) == errSecSuccess)
        #expect(SecItemAdd(internet([kSecAttrProtocol: kSecAttrProtocolHTTP]), nil) == errSecSuccess)
        var result: AnyObject?
        let all: [CFString: Any] = [
            kSecClass: kSecClassInternetPassword, kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
        ]
        #expect(SecItemCopyMatching(all as CFDictionary, &result) == errSecSuccess)
        let items = result as? [[String: Any]]
        #expect(items?.count == 4)
        #expect(items?[1][kSecAttrPort as String] as? Int == 8443)
    }

    @Test func addingReturnsWhatIsAskedFor() {
        var result: CFTypeRef?
        let status = SecItemAdd(
            query(
                "a", "ada",
                [
                    kSecValueData as String: Data("secret".utf8), kSecReturnAttributes as String: true,
                    kSecReturnData as String: true,
                ]), &result)
        #expect(status == errSecSuccess)
        let item = result as? [String: Any]
        #expect(item?[kSecAttrAccount as String] as? String == "ada")
        #expect(item?[kSecAttrAccessGroup as String] as? String == "app")
        #expect(item?[kSecAttrAccessible as String] as? String == kSecAttrAccessibleWhenUnlocked as String)
        #expect(item?[kSecAttrSynchronizable as String] as? Bool == false)
        #expect(item?[kSecAttrCreationDate as String] as? Date == Date(timeIntervalSince1970: 1_000))
        #expect(item?[kSecValueData as String] as? Data == Data("secret".utf8))
    }

    @Test func anItemMayHaveAllAttributesOfItsClass() {
        let attributes: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: Data([0, 255]), kSecAttrService: "a",
            kSecAttrGeneric: Data([1]), kSecAttrLabel: "label", kSecAttrComment: "comment",
            kSecAttrDescription: "description", kSecAttrCreator: 1_234, kSecAttrType: NSNumber(value: 5_678),
            kSecAttrIsInvisible: true, kSecAttrIsNegative: kCFBooleanFalse as Any,
            kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock, kSecAttrSynchronizable: true,
        ]
        #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecSuccess)
        var result: CFTypeRef?
        let search = attributes.merging([kSecReturnAttributes: true]) { $1 }
        #expect(SecItemCopyMatching(search as CFDictionary, &result) == errSecSuccess)
        let item = result as? [String: Any]
        #expect(item?[kSecAttrAccount as String] as? Data == Data([0, 255]))
        #expect(item?[kSecAttrCreator as String] as? Int == 1_234)
        #expect(item?[kSecAttrIsInvisible as String] as? Bool == true)
    }

    @Test func unfitDictionariesAreRefused() {
        let data: [CFString: Any] = [kSecValueData: Data([1])]
        func status(_ more: [CFString: Any]) -> OSStatus {
            SecItemAdd(data.merging(more) { $1 } as CFDictionary, nil)
        }
        #expect(status([:]) == errSecParam)
        #expect(status([kSecClass: "nonsense"]) == errSecNoSuchClass)
        #expect(status([kSecClass: kSecClassCertificate]) == errSecUnimplemented)
        let password: [CFString: Any] = [kSecClass: kSecClassGenericPassword]
        for (key, value, expected) in [
            (kSecMatchLimit, kSecMatchLimitOne as Any, errSecParam),
            (kSecAttrServer, "cloud.example", errSecNoSuchAttr),
            (kSecAttrAccount, ["ada"], errSecParam),
            (kSecAttrAccount, NSNull(), errSecParam),
            (kSecValueData, "text", errSecParam),
            (kSecAttrIsInvisible, "yes", errSecParam),
            (kSecAttrSynchronizable, kSecAttrSynchronizableAny, errSecParam),
            ("unknown" as CFString, 1, errSecParam),
            (kSecReturnRef, true, errSecUnimplemented),
        ] {
            #expect(status(password.merging([key: value]) { $1 }) == expected, "\(key)")
        }
        #expect(SecItemCopyMatching(password as CFDictionary, nil) == errSecItemNotFound)
    }
}

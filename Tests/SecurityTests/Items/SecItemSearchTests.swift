import Foundation
import Secrets
import Security
import Testing

// MARK: Finding

extension SecItemTests {
    @Test func oneItemIsFoundByDefaultAndAllOnRequest() {
        for account in ["ada", "bob", "eve"] { add("a", account, account) }
        #expect(found("a").text == "ada")
        func accounts(_ limit: Any) -> [String]? {
            var result: CFTypeRef?
            let status = SecItemCopyMatching(
                query("a", nil, [kSecMatchLimit as String: limit, kSecReturnData as String: true]), &result)
            #expect(status == errSecSuccess)
            return (result as? [Data])?.map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(accounts(kSecMatchLimitAll) == ["ada", "bob", "eve"])
        #expect(accounts(2) == ["ada", "bob"])
        var one: CFTypeRef?
        #expect(SecItemCopyMatching(query("a", nil, ["m_Limit": 1, "r_Data": true]), &one) == errSecSuccess)
        #expect(one as? Data == Data("ada".utf8))
    }

    @Test func limitsThatAreNoneAreRefused() {
        for limit in [0, -1, "many", kSecAttrLabel] as [Any] {
            #expect(SecItemCopyMatching(query("a", nil, ["m_Limit": limit]), nil) == errSecParam)
        }
    }

    @Test func aSearchWithoutAFormOnlyTellsThatAnItemExists() {
        add("a")
        var result: CFTypeRef?
        #expect(SecItemCopyMatching(query("a"), &result) == errSecSuccess)
        #expect(result == nil)
    }

    @Test func attributesComeWithoutThePassword() throws {
        add("a")
        var result: CFTypeRef?
        #expect(SecItemCopyMatching(query("a", nil, ["r_Attributes": true]), &result) == errSecSuccess)
        let item = try #require(result as? [String: Any])
        #expect(item[kSecValueData as String] == nil)
        #expect(item[kSecClass as String] as? String == kSecClassGenericPassword as String)
    }

    @Test func aStoredReferenceFindsItsItem() throws {
        add("a", "ada", "one")
        add("a", "bob", "two")
        var reference: CFTypeRef?
        #expect(SecItemCopyMatching(query("a", "bob", ["r_PersistentRef": true]), &reference) == errSecSuccess)
        let data = try #require(reference as? Data)
        var result: CFTypeRef?
        let search: [CFString: Any] = [kSecValuePersistentRef: data, kSecReturnData: true]
        #expect(SecItemCopyMatching(search as CFDictionary, &result) == errSecSuccess)
        #expect(result as? Data == Data("two".utf8))
        let change: [CFString: Any] = [kSecAttrAccount: "eve"]
        let byReference: [CFString: Any] = [kSecValuePersistentRef: data]
        #expect(SecItemUpdate(byReference as CFDictionary, change as CFDictionary) == errSecSuccess)
        #expect(SecItemDelete(byReference as CFDictionary) == errSecSuccess)
        #expect(SecItemCopyMatching(search as CFDictionary, &result) == errSecItemNotFound)
        let foreign: [CFString: Any] = [kSecValuePersistentRef: Data([1, 2, 3])]
        #expect(SecItemCopyMatching(foreign as CFDictionary, nil) == errSecItemNotFound)
        #expect(found("a").text == "one")
    }

    @Test func synchronizedItemsAreFoundOnRequest() {
        #expect(
            SecItemAdd(query("a", "ada", ["sync": true, "v_Data": Data("synchronized".utf8)]), nil) == errSecSuccess)
        #expect(found("a").status == errSecItemNotFound)
        #expect(found("a", ["sync": true]).text == "synchronized")
        #expect(found("a", ["sync": kSecAttrSynchronizableAny]).text == "synchronized")
        #expect(add("a", "ada", "local") == errSecSuccess)
        #expect(found("a").text == "local")
    }

    @Test func theAttributesOfAnItemFindIt() throws {
        add("a")
        var result: CFTypeRef?
        #expect(SecItemCopyMatching(query("a", nil, ["r_Attributes": true]), &result) == errSecSuccess)
        let item = try #require(result as? [String: Any])
        #expect(SecItemCopyMatching(item as CFDictionary, nil) == errSecSuccess)
        let older = item.merging([kSecAttrCreationDate as String: Date(timeIntervalSince1970: 999)]) { $1 }
        #expect(SecItemCopyMatching(older as CFDictionary, nil) == errSecItemNotFound)
        #expect(SecItemDelete(item as CFDictionary) == errSecSuccess)
    }

    @Test func aSearchNeedsAClass() {
        let all: [CFString: Any] = [kSecAttrService: "a"]
        #expect(SecItemCopyMatching(all as CFDictionary, nil) == errSecParam)
        #expect(SecItemDelete(all as CFDictionary) == errSecParam)
        #expect(SecItemDelete([kSecClass: kSecClassKey] as CFDictionary) == errSecItemNotFound)
        #expect(SecItemCopyMatching(query("a", nil, ["srvr": "b"]), nil) == errSecNoSuchAttr)
    }
}

// MARK: Changing and removing

extension SecItemTests {
    @Test func anUpdateChangesThePasswordAndKeepsTheRest() {
        add("a")
        #expect(
            SecItemUpdate(query("a"), [kSecValueData: Data("new".utf8)] as CFDictionary) == errSecSuccess)
        #expect(found("a", [kSecAttrAccount as String: "ada"]).text == "new")
        #expect(SecItemUpdate(query("a"), [kSecAttrLabel: "label"] as CFDictionary) == errSecSuccess)
        #expect(found("a", [kSecAttrLabel as String: "label"]).text == "new")
    }

    @Test func anUpdateChangesAllItemsThatItFinds() {
        for account in ["ada", "bob"] { add("a", account) }
        add("b")
        #expect(SecItemUpdate(query("a"), [kSecAttrComment: "x"] as CFDictionary) == errSecSuccess)
        var result: CFTypeRef?
        let commented: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrComment: "x", kSecMatchLimit: kSecMatchLimitAll,
            kSecReturnAttributes: true,
        ]
        #expect(SecItemCopyMatching(commented as CFDictionary, &result) == errSecSuccess)
        #expect((result as? [Any])?.count == 2)
    }

    @Test func anUpdateThatMakesADuplicateChangesNothing() {
        for account in ["ada", "bob"] { add("a", account, account) }
        let change: [CFString: Any] = [kSecAttrAccount: "bob", kSecValueData: Data("new".utf8)]
        #expect(SecItemUpdate(query("a", "ada"), change as CFDictionary) == errSecDuplicateItem)
        #expect(SecItemUpdate(query("a"), [kSecAttrAccount: "eve"] as CFDictionary) == errSecDuplicateItem)
        #expect(found("a", [kSecAttrAccount as String: "ada"]).text == "ada")
        #expect(found("a", [kSecAttrAccount as String: "bob"]).text == "bob")
    }

    @Test func unfitUpdatesAreRefused() {
        add("a")
        let label: [CFString: Any] = [kSecAttrLabel: "x"]
        #expect(SecItemUpdate(query("b"), label as CFDictionary) == errSecItemNotFound)
        #expect(SecItemUpdate(query("a"), [:] as CFDictionary) == errSecParam)
        #expect(SecItemUpdate(query("a", nil, ["m_Limit": 1]), label as CFDictionary) == errSecParam)
        for (key, value) in [
            (kSecClass, kSecClassGenericPassword as Any), (kSecReturnData, true), (kSecMatchLimit, kSecMatchLimitAll),
        ] {
            #expect(SecItemUpdate(query("a"), label.merging([key: value]) { $1 } as CFDictionary) == errSecParam)
        }
        #expect(SecItemUpdate(query("a"), [kSecAttrServer: "x"] as CFDictionary) == errSecNoSuchAttr)
    }

    @Test func removingTakesAllItemsThatAreFound() {
        for account in ["ada", "bob"] { add("a", account) }
        add("b")
        #expect(SecItemDelete(query("a")) == errSecSuccess)
        #expect(found("a").status == errSecItemNotFound)
        #expect(found("b").status == errSecSuccess)
        #expect(SecItemDelete(query("a")) == errSecItemNotFound)
        #expect(SecItemDelete(query("b", nil, ["m_Limit": kSecMatchLimitOne])) == errSecParam)
    }
}

// MARK: Access groups

extension SecItemTests {
    @Test func programsShareTheGroupsThatBothDeclare() {
        add("own")
        #expect(
            SecItemAdd(
                query("common", "ada", [kSecAttrAccessGroup as String: "shared", "v_Data": Data("x".utf8)]), nil)
                == errSecSuccess)
        become("extension", "shared")
        #expect(found("common").text == "x")
        #expect(found("own").status == errSecItemNotFound)
        #expect(SecItemDelete(query("own")) == errSecItemNotFound)
        #expect(SecItemUpdate(query("own"), [kSecAttrLabel: "x"] as CFDictionary) == errSecItemNotFound)
        #expect(add("own", "ada", "of the extension") == errSecSuccess)
        become("app", "shared")
        #expect(found("own").text == "secret")
    }

    @Test func aGroupOfOthersIsRefused() {
        #expect(SecItemAdd(query("a", "ada", ["agrp": "foreign"]), nil) == errSecMissingEntitlement)
        add("a")
        #expect(SecItemUpdate(query("a"), [kSecAttrAccessGroup: "foreign"] as CFDictionary) == errSecMissingEntitlement)
        #expect(SecItemCopyMatching(query("a", nil, ["agrp": "foreign"]), nil) == errSecItemNotFound)
        become()
        #expect(add("b") == errSecMissingEntitlement)
        #expect(found("a").status == errSecMissingEntitlement)
    }

    @Test func anItemMovesToAnotherGroup() {
        add("a")
        #expect(SecItemUpdate(query("a"), [kSecAttrAccessGroup: "shared"] as CFDictionary) == errSecSuccess)
        become("shared")
        #expect(found("a").text == "secret")
    }
}

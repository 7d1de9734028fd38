import SecretStorage
import Secrets
import Testing

/// The sizes and numbers that a store allows.
struct LimitTests {
    private func limits(_ change: (inout SecretLimits) -> Void) -> SecretLimits {
        var limits = SecretLimits()
        change(&limits)
        return limits
    }

    @Test func aPasswordHasALargestSize() throws {
        let test = try TestStore(limits: limits { $0.value = 100 })
        try test.add("a", account: "", String(repeating: "x", count: 100))
        #expect(throws: SecretError.tooLarge) {
            try test.add("b", account: "", String(repeating: "x", count: 101))
        }
        #expect(throws: SecretError.tooLarge) {
            try test.store.update(
                UpdateSecretsCall(
                    search: search("a"), attributes: [:], value: secret(String(repeating: "y", count: 101))),
                groups: TestStore.groups)
        }
        #expect(try test.values("a") == [String(repeating: "x", count: 100)])
    }

    @Test func attributesHaveALargestSize() throws {
        let test = try TestStore(limits: limits { $0.attributes = 100 })
        #expect(throws: SecretError.tooLarge) { try test.add(String(repeating: "x", count: 101)) }
    }

    @Test func aGroupHasALargestNumberOfItemsAndOthersHaveRoom() throws {
        let test = try TestStore(limits: limits { $0.itemsOfGroup = 3 })
        for number in 0..<3 { try test.add("a", account: "\(number)") }
        #expect(throws: SecretError.groupFull) { try test.add("a", account: "3") }
        try test.add("a", account: "3", group: "other")
        #expect(throws: SecretError.groupFull) {
            try test.store.update(
                UpdateSecretsCall(
                    search: SecretSearch(itemClass: .genericPassword, attributes: [.account: .text("3")]),
                    attributes: [.group: .text("test")], value: nil), groups: TestStore.groups)
        }
        try test.store.remove(
            RemoveSecretsCall(
                search: SecretSearch(itemClass: .genericPassword, attributes: [.account: .text("0")])),
            groups: TestStore.groups)
        try test.add("a", account: "4")
        #expect(try test.values("a").count == 4)
    }

    @Test func aGroupAndAllGroupsHaveALargestSize() throws {
        let group = try TestStore(limits: limits { $0.bytesOfGroup = 2_000 })
        let text = String(repeating: "x", count: 900)
        try group.add("a", account: "", text)
        #expect(throws: SecretError.groupFull) { try group.add("b", account: "", text) }
        try group.add("b", account: "", text, group: "other")
        let all = try TestStore(limits: limits { $0.bytes = 2_000 })
        try all.add("a", account: "", text)
        #expect(throws: SecretError.groupFull) { try all.add("b", account: "", text, group: "other") }
    }

    @Test func aFullStoreIsWrittenAndReadWithinItsBound() throws {
        let test = try TestStore()
        let text = String(repeating: "x", count: 250 << 10)
        for number in 0..<3 {
            try test.add("a", account: "\(number)", text)
            try test.add("a", account: "\(number)", text, group: "other")
        }
        #expect(throws: SecretError.self) {
            for number in 3..<6 { try test.add("a", account: "\(number)", text) }
        }
        #expect(try test.values("a").count >= 6)
        #expect(test.reports.all.isEmpty)
    }

    @Test func aProgramHasALargestNumberOfGroups() {
        let names = (0..<20).map { "group\($0)" }
        #expect(AccessGroups(names).names == Array(names.prefix(8)))
        #expect(AccessGroups(["a", "", "a", "b/c", "é", "b"]).names == ["a", "b"])
        #expect(
            AccessGroups(
                declaredIn: ["keychain-access-groups": ["team.shared"]], identifier: "org.example.app",
                appGroups: ["group.example"]
            ).names == ["team.shared", "org.example.app", "group.example"])
        #expect(AccessGroups(declaredIn: ["keychain-access-groups": 5], identifier: "x").names == ["x"])
    }
}

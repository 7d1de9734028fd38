import AppExtension
import Foundation
import Testing

@Suite struct ActivationRuleTests {
    private func item(_ attachments: [String]...) -> ActivationRule.Item { .init(attachments: attachments) }

    private let jpeg = ["public.jpeg", "public.file-url"]
    private let page = ["public.url"]
    private let text = ["public.plain-text"]
    private let movie = ["com.apple.quicktime-movie"]

    private func accepts(_ rule: Any, _ items: [ActivationRule.Item]) throws -> Bool {
        try ActivationRule(rule).accepts(items)
    }

    // MARK: - The dictionary

    @Test func countsAreMaxima() throws {
        let rule = ["NSExtensionActivationSupportsImageWithMaxCount": 2]
        #expect(try accepts(rule, [item(jpeg)]))
        #expect(try accepts(rule, [item(jpeg, jpeg)]))
        #expect(try accepts(rule, [item(jpeg), item(jpeg)]))
        #expect(try !accepts(rule, [item(jpeg, jpeg, jpeg)]))
        #expect(try !accepts(rule, [item(movie)]))
        #expect(try !accepts(rule, [item(jpeg, movie)]))
        #expect(try !accepts(rule, []))
    }

    @Test func everyKindIsKnownByItsKey() throws {
        func rule(_ key: String) -> [String: Any] { ["NSExtensionActivationSupports\(key)": 1] }
        #expect(try accepts(rule("Text"), [item(text)]))
        #expect(try accepts(rule("WebURLWithMaxCount"), [item(page)]))
        #expect(try !accepts(rule("WebURLWithMaxCount"), [item(["public.file-url"])]))
        #expect(try accepts(rule("WebPageWithMaxCount"), [item(["com.apple.property-list"])]))
        #expect(try accepts(rule("MovieWithMaxCount"), [item(movie)]))
        #expect(try accepts(rule("FileWithMaxCount"), [item(jpeg)]))
        #expect(try accepts(rule("FileWithMaxCount"), [item(["com.adobe.pdf"])]))
        #expect(try accepts(rule("FileWithMaxCount"), [item(["public.folder"])]))
        #expect(try !accepts(rule("Text"), [item(movie)]))
    }

    @Test func truthValuesMeanTheSameAsNumbers() throws {
        #expect(try accepts(["NSExtensionActivationSupportsText": true], [item(text)]))
        #expect(try !accepts(["NSExtensionActivationSupportsText": false], [item(text)]))
        #expect(try accepts(["NSExtensionActivationSupportsImageWithMaxCount": "3"], [item(jpeg)]))
    }

    @Test func theNumberOfAttachmentsIsLimited() throws {
        let rule: [String: Any] = [
            "NSExtensionActivationSupportsImageWithMaxCount": 9,
            "NSExtensionActivationSupportsAttachmentsWithMinCount": 2,
            "NSExtensionActivationSupportsAttachmentsWithMaxCount": 3,
        ]
        #expect(try !accepts(rule, [item(jpeg)]))
        #expect(try accepts(rule, [item(jpeg, jpeg)]))
        #expect(try !accepts(rule, [item(jpeg, jpeg, jpeg, jpeg)]))
    }

    @Test func strictMatchingAsksEveryType() throws {
        var rule: [String: Any] = ["NSExtensionActivationSupportsWebURLWithMaxCount": 1]
        let both = item(["public.url", "public.jpeg"])
        #expect(try accepts(rule, [both]))
        rule["NSExtensionActivationUsesStrictMatching"] = true
        #expect(try !accepts(rule, [both]))
    }

    @Test func unknownKeysAreIgnored() throws {
        let rule: [String: Any] = [
            "NSExtensionActivationSupportsText": true, "SupportsReplayKitStreaming": true,
            "NSExtensionActivationDictionaryVersion": 2,
        ]
        #expect(try accepts(rule, [item(text)]))
    }

    // MARK: - The predicate

    private let oneImage = """
        SUBQUERY (
            extensionItems,
            $extensionItem,
            SUBQUERY (
                $extensionItem.attachments, $attachment,
                ANY $attachment.registeredTypeIdentifiers UTI-CONFORMS-TO "public.image"
                || ANY $attachment.registeredTypeIdentifiers UTI-CONFORMS-TO 'com.adobe.pdf'
            ).@count == $extensionItem.attachments.@count
        ).@count == 1
        """

    @Test func theUsualPredicateIsUnderstood() throws {
        #expect(try accepts(oneImage, [item(jpeg)]))
        #expect(try accepts(oneImage, [item(jpeg, ["com.adobe.pdf"])]))
        #expect(try !accepts(oneImage, [item(jpeg, text)]))
        #expect(try !accepts(oneImage, [item(jpeg), item(jpeg)]))
        #expect(try !accepts(oneImage, []))
    }

    @Test(arguments: [
        ("TRUEPREDICATE", true), ("FALSEPREDICATE", false), ("extensionItems.@count > 0", true),
        ("extensionItems.@count == 1 AND NOT extensionItems.@count > 1", true),
        ("(extensionItems.@count >= 1) && !(extensionItems.@count <> 1)", true), ("1 = 2 or 2 => 2", true),
        (
            "SUBQUERY(extensionItems,$e,SUBQUERY($e.attachments,$a,NONE $a.registeredTypeIdentifiers UTI-CONFORMS-TO \"public.movie\").@count>0).@count<=1",
            true
        ),
        ("ANY extensionItems.attachments.registeredTypeIdentifiers UTI-EQUALS 'public.jpeg'", true),
        ("ANY extensionItems.attachments.registeredTypeIdentifiers UTI-EQUALS 'public.image'", false),
        ("ALL extensionItems.attachments.registeredTypeIdentifiers UTI-CONFORMS-TO 'public.item'", true),
        ("NOT ANY extensionItems.attachments.registeredTypeIdentifiers UTI-CONFORMS-TO 'public.movie'", true),
        ("extensionItems.@count > -1", true), ("-1.5 < -1 AND 0 > -1", true), ("\"a\" == 'a'", true),
        ("((SUBQUERY(extensionItems, $x, TRUEPREDICATE)).@count == 1)", true),
    ])
    func everyFormOfTheGrammarIsUnderstood(_ predicate: String, _ expected: Bool) throws {
        #expect(try accepts(predicate, [item(jpeg)]) == expected)
    }

    @Test(arguments: [
        ("", "character 1"), ("extensionItems.@count", "comparison"),
        ("extensionItem.@count > 0", "\"extensionItems\""), ("extensionItems.attachment.@count > 0", "\"attachments\""),
        ("SUBQUERY(extensionItems, $x, $y.attachments.@count > 0).@count > 0", "$y"),
        ("SUBQUERY(extensionItems, $x, TRUEPREDICATE).@count > 0 AND $x.attachments.@count > 0", "$x"),
        ("SUBQUERY(extensionItems, $a, TRUEPREDICATE", "\")\""),
        ("ANY \u{201C}public.image\u{201D} == 1", "quoted with"), ("1 == 1 1", "\"AND\""),
        ("\"never ends", "does not end"),
        ("SUBQUERY(extensionItems, a, TRUEPREDICATE).@count == 1", "variable"), ("1 == ", "the end"),
        ("extensionItems.@all == 1", "count"), ("# == 1", "means nothing"), ("$ == 1", "name is missing"),
    ])
    func parseErrorsAreReportedWithTheirPosition(_ predicate: String, _ words: String) {
        do {
            _ = try ActivationRule(predicate)
            Issue.record("it was understood")
        } catch {
            #expect(error.description.contains(words), "\(error)")
        }
    }

    @Test func bracketsWithinSubqueriesDoNotMultiplyTheWork() {
        // Each bracket can be a condition or a value. Reading both ways at every depth would take exponential time.
        let deep = String(repeating: "(SUBQUERY(extensionItems, $a, ", count: 25)
        #expect(throws: ActivationRule.RuleError.self) { try ActivationRule(deep) }
        #expect(throws: ActivationRule.RuleError.self) { try ActivationRule(deep + "#") }
        #expect(throws: ActivationRule.RuleError.self) {
            try ActivationRule(deep + "TRUEPREDICATE" + String(repeating: ").@count)", count: 25))
        }
    }

    @Test func subqueriesWithinSubqueriesDoNotMultiplyTheWork() throws {
        // 40 items in 12 levels would be 40 to the power of 12 evaluations.
        let levels = 12
        let deep =
            (0..<levels).map { "SUBQUERY(extensionItems, $a\($0), " }.joined() + "TRUEPREDICATE"
            + String(repeating: ").@count > 99", count: levels)
        #expect(try !accepts(deep, Array(repeating: item(jpeg), count: 40)))
        #expect(try !accepts("NOT (\(deep))", Array(repeating: item(jpeg), count: 40)))
        // A large number of attachments alone must not make the rule fail.
        let many = ActivationRule.Item(attachments: Array(repeating: jpeg, count: 10_000))
        #expect(try accepts(oneImage, [many]))
    }

    @Test func aLongChainOfNamesOverflowsNothing() {
        let chain = "extensionItems" + String(repeating: ".a", count: 32_000) + ".@count == 0"
        #expect(throws: ActivationRule.RuleError.self) { try ActivationRule(chain) }
        let numbers: [Any] = [1e300, -1e300, Double.nan, Double.infinity, UInt64.max]
        for number in numbers {
            _ = try? accepts(["NSExtensionActivationSupportsImageWithMaxCount": number], [item(jpeg)])
            _ = try? accepts(number, [item(jpeg)])
        }
    }

    @Test func noTextDoesMoreThanFail() {
        #expect(throws: ActivationRule.RuleError.self) { try ActivationRule(String(repeating: "(", count: 50_000)) }
        #expect(throws: ActivationRule.RuleError.self) { try ActivationRule(String(repeating: "!", count: 50_000)) }
        #expect(throws: ActivationRule.RuleError.self) {
            try ActivationRule(String(repeating: "1==1 OR ", count: 50_000))
        }
        #expect(throws: ActivationRule.RuleError.self) { try ActivationRule(Date()) }
        #expect(throws: ActivationRule.RuleError.self) {
            try ActivationRule(["NSExtensionActivationSupportsImageWithMaxCount": "many"])
        }
        var state: UInt64 = 11
        let good = Array(oneImage)
        for _ in 0..<5_000 {
            var bad = good
            for _ in 0..<3 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let place = Int(state >> 33) % bad.count
                switch (state >> 20) % 3 {
                case 0: bad.remove(at: place)
                case 1: bad.insert(good[Int(state >> 40) % good.count], at: place)
                default: bad[place] = Character(Unicode.Scalar(UInt8(truncatingIfNeeded: state >> 10) & 0x7F))
                }
            }
            _ = try? ActivationRule(String(bad)).accepts([item(jpeg)])
        }
    }
}

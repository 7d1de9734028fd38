import AppExtension
import Testing

/// Functions and arithmetic in the rules of actions, and the regular expressions of `MATCHES`.
@Suite struct PredicateArithmeticTests {
    private let items: [PredicateValue] = [
        .object([
            "filename": .text("Émile 2024.txt"), "documentSize": .number(12), "capabilities": .number(0b1010_11),
            "lastUsedDate": .number(1_700_000_000),
        ]),
        .object(["filename": .text("b.txt"), "documentSize": .number(30), "capabilities": .number(2)]),
        .object(["filename": .text("c"), "documentSize": .nothing, "capabilities": .number(0)]),
    ]

    private func holds(_ rule: String) throws -> Bool {
        try ActivationPredicate(rule, .fileProviderItems).holds(["fileproviderItems": .list(items)])
    }

    @Test(arguments: [
        "1 + 2 * 3 == 7", "(1 + 2) * 3 == 9", "((1 + 2)) * (3) == 9", "10 - 3 - 2 == 5", "2 ** 10 / 4 == 256",
        "-2 + 5 == 3", "3 - -2 == 5", "- 5 < 0", "1 + 1 | 4 == 6", "6 & 3 == 2", "1 << 4 | 1 == 17", "~0 == -1",
        "6 ^ 3 == 5", "256 >> 4 == 16", "7 / 2 == 3.5", "10-3 == 7",
        "fileproviderItems.@count * 2 == 6", "fileproviderItems.@count - 1 IN {1, 2}",
    ])
    func arithmeticIsDoneInItsOrder(_ rule: String) throws { #expect(try holds(rule)) }

    @Test(arguments: [
        "fileproviderItems[0].capabilities & 2 != 0", "fileproviderItems[1].capabilities & 1 == 0",
        "SUBQUERY(fileproviderItems, $i, ($i.capabilities & 2) != 0).@count == 2",
        "fileproviderItems[FIRST].documentSize == 12", "fileproviderItems[LAST].documentSize == nil",
        "fileproviderItems[SIZE] == fileproviderItems.@count", "fileproviderItems[7] == nil",
        "fileproviderItems[1 - 1].filename ENDSWITH '.txt'", "fileproviderItems[-1] == nil",
        "fileproviderItems.@sum.documentSize == 42", "fileproviderItems.@avg.documentSize == 21",
        "fileproviderItems.@min.documentSize == 12", "fileproviderItems.@max.documentSize == 30",
        "SUBQUERY(fileproviderItems, $i, $i.documentSize > 12).@sum.documentSize == 30",
        "sum(fileproviderItems.documentSize) == 42", "sum:(fileproviderItems.documentSize) == 42",
        "count(fileproviderItems) == 3", "max(1, 5, 3) == 5", "min({4, 2}) == 2", "median({1, 9, 4, 5}) == 4.5",
        "average({1, 2, 6}) == 3", "abs(-3) + floor(2.7) + ceiling(2.1) + trunc(-1.5) == 7", "sqrt(9) == 3",
        "modulus:by:(7, 4) == 3", "raise:toPower:(2, 5) == 32", "log(1000) == 3", "ln(exp(2)) > 1.999",
        "length(fileproviderItems[1].filename) == 5", "uppercase('a') == 'A' AND lowercase('Ä') == 'ä'",
        "SUBQUERY(fileproviderItems, $i, $i.lastUsedDate < now() - 7 * 86400).@count == 1", "now() > 1700000000",
        "ANY fileproviderItems.lastUsedDate < now()", "count(fileproviderItems.documentSize) == 2",
    ])
    func attributesOfItemsTakePartInArithmetic(_ rule: String) throws { #expect(try holds(rule)) }

    @Test(arguments: [
        "CAST('12.5', 'NSNumber') == 12.5", "CAST(' 7 ', \"NSDecimalNumber\") + 1 == 8", "CAST(12, 'NSString') == '12'",
        "CAST(0.5, 'NSString') == '0.5'", "CAST('a', 'NSString') == 'a'", "CAST('a', 'NSNumber') == nil",
        "CAST({1}, 'NSNumber') == nil", "CAST(nil, 'NSString') == nil", "CAST('now', 'NSDate') == nil",
        // As numbers, dates count seconds from the start of 2001.
        "CAST(721692800, 'NSDate') == 1700000000", "CAST(fileproviderItems[0].lastUsedDate, 'NSNumber') == 721692800",
        "CAST(CAST(now(), 'NSNumber') - 60, 'NSDate') < now()", "CAST(CAST(5, 'NSDate'), 'NSNumber') == 5",
        "fileproviderItems[0].lastUsedDate < CAST(721692801, 'NSDate')",
        "CAST(fileproviderItems[0].lastUsedDate, 'NSString') BEGINSWITH '2023-11-14 22:13:20'",
        "CAST(max(fileproviderItems[0].lastUsedDate, CAST(0, 'NSDate')), 'NSNumber') == 721692800",
        "CAST(domainUserInfo.lastUsedDate, 'NSNumber') == nil", "CAST(1700000000, 'NSNumber') == 1700000000",
        "TERNARY(1 < 2, 'a', 'b') == 'a'", "TERNARY(NOT (1 < 2), 1, 2) + 1 == 3",
        "((TERNARY((fileproviderItems.@count == 3 AND TRUEPREDICATE), (5), 6))) == 5",
        "SUBQUERY(fileproviderItems, $i, TERNARY($i.documentSize == nil, 99, $i.documentSize) > 20).@count == 2",
        "CAST(TERNARY(1 == 1, now(), CAST(0, 'NSDate')), 'NSNumber') < now() - 900000000",
        "TERNARY(TERNARY(1 == 1, 2, 3) == 2, ternary(FALSEPREDICATE, 1, 7), 0) == 7",
    ])
    func valuesAreChosenAndMadeOtherOnes(_ rule: String) throws { #expect(try holds(rule)) }

    @Test(arguments: [
        ("CAST(1) == 1", "\",\" is expected at character 7"), ("CAST(1, 'NSData') == 1", "\"NSNumber\", \"NSString\""),
        ("CAST(1, NSNumber) == 1", "\"NSNumber\", \"NSString\""), ("TERNARY(1, 2, 3) == 1", "a comparison such as"),
        ("TERNARY(1 == 1, 2) == 1", "\",\" is expected"), ("FUNCTION('a', 'length') == 1", "FUNCTION, at character 1,"),
        ("1 == function(1, 'x')", "FUNCTION, at character 6,"),
    ])
    func meaninglessArithmeticIsReportedWithItsPosition(_ rule: String, _ words: String) {
        let fault = #expect(throws: ActivationRule.RuleError.self) { try holds(rule) }
        #expect(fault.map { "\($0)".contains(words) } == true, "\(fault.map { "\($0)" } ?? "-")")
    }

    @Test func choicesWithinBracketsAreNotReadAgainAtEveryDepth() throws {
        var rule = "1"
        for _ in 0..<25 { rule = "(TERNARY((1 == 1), (\(rule)), 2))" }
        #expect(throws: ActivationRule.RuleError.self) { try holds(rule + " == 1") }
        rule = "1"
        for _ in 0..<10 { rule = "(TERNARY((1 == 1), (\(rule)), 2))" }
        #expect(try holds(rule + " == 1"))
    }

    @Test(arguments: [
        "'a' + 1 == 1", "fileproviderItems[2].documentSize + 1 > 0", "1.5 & 1 == 1", "sqrt('a') == 0",
        "0 / 0 == 0 / 0", "1 << 1.5 == 2",
    ])
    func aFailedComputationEqualsNothing(_ rule: String) throws { #expect(try !holds(rule)) }

    @Test func betweenTakesBothBounds() throws {
        #expect(try holds("12 BETWEEN {12, 13} AND 13 BETWEEN {12, 13} AND NOT 14 BETWEEN {12, 13}"))
        #expect(try holds("ANY fileproviderItems.documentSize BETWEEN {29, 15 * 2}"))
        #expect(try holds("'m' BETWEEN {'a', 'z'}"))
        #expect(try !holds("12 BETWEEN {13, 12} OR 12 BETWEEN {12} OR 12 BETWEEN 12 OR nil BETWEEN {1, 2}"))
    }

    // MARK: - Patterns

    @Test(arguments: [
        ("abc", "abc", true), ("abc", "ab", false), ("ab", "abc", false), ("", "", true), ("", "a", false),
        ("a|bc", "bc", true), ("a|bc", "ac", false), ("(a|b)*c", "ababc", true), ("(?:ab)+", "abab", true),
        ("a?b{2}", "bb", true), ("a{2,3}", "aaaa", false), ("a{2,}", "aaaa", true), ("a{0}b", "b", true),
        (".*\\.txt", "b.txt", true), (".*\\.txt", "btxt", false), (".", "\n", false), ("^a.c$", "abc", true),
        ("[a-c]+", "abc", true), ("[^a-c]+", "dxé", true), ("[^a-c]+", "da", false), ("[]a]", "]", true),
        ("[a\\-z]", "-", true), ("[\\d_]+", "1_2", true), ("[\\D]", "1", false), ("[^\\s]+", "a b", false),
        ("\\d{4}-\\d\\d", "2024-05", true), ("\\w+", "Émile_2", true), ("\\W", "é", false), ("\\s\\S", " a", true),
        ("\\bab\\b", "ab", true), ("a\\Bb", "ab", true), ("a\\bb", "ab", false), ("a\\t", "a\t", true),
        ("[A-Z]+\\(\\d\\)", "AB(1)", true), ("(a*)*", "aaaa", true), ("()*", "", true), ("x*?y", "xxy", true),
        ("(?i)ÄB", "äb", true), ("ÄB", "äb", false), ("[-a]", "-", true), ("[a-]", "-", true),
    ])
    func aPatternIsOfTheWholeText(_ pattern: String, _ text: String, _ expected: Bool) throws {
        let quote = text.contains("\"") ? "'" : "\""
        #expect(try holds("\(quote)\(text)\(quote) MATCHES '\(pattern)'") == expected, "\(pattern) and \(text)")
    }

    /// Property lists contain the doubled backslash, which Foundation parses like this. A single backslash means the
    /// same to Purvey's parser.
    @Test func aBackslashInAQuotedTextIsWrittenTwice() throws {
        #expect(try holds("'a.b' MATCHES 'a\\\\.b' AND NOT 'a-b' MATCHES 'a\\\\.b'"))
        #expect(try holds("'a.b' MATCHES 'a\\.b' AND NOT 'a-b' MATCHES 'a\\.b'"))
        #expect(try holds("length('\\\\\\'\\\"') == 3 AND length('\\n') == 1 AND '\\d' != 'd'"))
    }

    @Test func patternsMayOverlookCaseAndAccents() throws {
        #expect(try holds("ANY fileproviderItems.filename MATCHES[cd] 'emile [0-9]+\\.TXT'"))
        #expect(try !holds("ANY fileproviderItems.filename MATCHES[c] 'emile [0-9]+\\.TXT'"))
        #expect(try holds("'abc' MATCHES[c] '[^D-F]+' AND NOT 'abd' MATCHES[c] '[^D-F]+'"))
    }

    @Test(arguments: [
        "(a", "a)", "[a", "*a", "a{2", "a{3,2}", "a{2000}", "a**", "a\\\\", "(?=a)", "(a)\\1", "\\p{L}", "[z-a]",
        "[[:alpha:]]", "((a{1000}){1000}){1000}", String(repeating: "(", count: 10_000), "a{99999999999}", "[a-\\d]",
    ])
    func aPatternThatCannotBeReadIsRefusedInOneLine(_ pattern: String) {
        #expect {
            try holds("'a' MATCHES '\(pattern)'")
        } throws: { error in
            let fault = "\(error)"
            return fault.contains("MATCHES") && !fault.contains("\n")
        }
    }

    @Test(arguments: ["(a+)+b", "(a|a)*b", "(a*)*b", "(.*)(.*)(.*)(.*)(.*)b", "(((a{0}){1000}){1000}){1000}b"])
    func noPatternTakesLongerThanItsLengthTimesTheTexts(_ pattern: String) throws {
        let text = String(repeating: "a", count: 10_000)
        #expect(try !holds("'\(text)' MATCHES '\(pattern)'"))
    }

    @Test func aTooExpensivePredicateMatchesNothing() throws {
        let text = String(repeating: "a", count: 16_000)
        let items = PredicateValue.list(Array(repeating: .object(["filename": .text(text)]), count: 1000))
        let rule = try ActivationPredicate(
            "NOT ANY fileproviderItems.filename MATCHES '(a{0,900}){2}b'", .fileProviderItems)
        #expect(!rule.holds(["fileproviderItems": items]))
    }

    @Test func arithmeticWithinArithmeticOverflowsNothing() throws {
        for text in [
            String(repeating: "(", count: 20_000) + "1", String(repeating: "-", count: 40_000) + "1 == 1",
            String(repeating: "~-", count: 20_000) + "1 == 1",
            "fileproviderItems" + String(repeating: "[0", count: 20_000),
            String(repeating: "abs(", count: 10_000) + "1",
        ] {
            #expect(throws: ActivationRule.RuleError.self) { try holds(text) }
        }
        let sum = Array(repeating: "1", count: 10_000).joined(separator: "+")
        #expect(try holds("\(sum) == 10000"))
    }
}

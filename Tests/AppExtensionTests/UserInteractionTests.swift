import AppExtension
import Foundation
import ItemValues
import Testing

/// The interactions with the user in a file provider's property list, and the alerts for operations.
@Suite struct UserInteractionTests {
    private func item(_ name: String, isShared: Bool = false, _ info: [String: PredicateValue] = [:]) -> PredicateValue
    {
        .object([
            "filename": .text(name), "isShared": .flag(isShared), "isSharedByCurrentUser": .flag(isShared),
            "userInfo": .object(info), "documentSize": .number(12),
        ])
    }

    private func alert(_ rule: String, _ more: [String: Any] = [:], of alert: [String: Any] = [:]) -> [String: Any] {
        let values = ["LocalizedTitle": "Title"].merging(alert) { $1 }
        return ["ActivationRule": rule, "Alert": values].merging(more) { $1 }
    }

    private func read(_ interactions: [Any]) throws -> [UserInteraction] {
        let bundle = try ExtensionFolder.inspect(["NSFileProviderUserInteractions": interactions])
        try #require(bundle.interactionFaults.isEmpty, "\(bundle.interactionFaults)")
        return bundle.interactions
    }

    private func shown(_ subject: InteractionSubject, _ interactions: [String: Any]...) throws -> InteractionAlert? {
        UserInteraction.alert(for: subject, in: try read(interactions))
    }

    @Test(arguments: [
        ("action == 'Move'", true), ("action == \"Trash\"", false), ("sourceItem.filename == 'a'", true),
        ("sourceItem.isShared == YES", false), ("destinationItem.isShared == YES", true),
        ("destinationItem.isSharedByCurrentUser == YES AND sourceItem.isShared == NO", true),
        ("sourceItemsCount == 2", true), ("sourceItemsCount > 2", false), ("domainUserInfo.plan == 'free'", true),
        ("sourceItem.userInfo.pinned == YES", true), ("TRUEPREDICATE", true),
    ])
    func everyNameOfARuleIsUnderstood(_ rule: String, _ expected: Bool) throws {
        let subject = InteractionSubject(
            .move, [item("a", ["pinned": .flag(true)]), item("b")], to: item("d", isShared: true),
            domain: .object(["plan": .text("free")]))
        #expect(try (shown(subject, alert(rule)) != nil) == expected)
    }

    @Test func textsHaveTheValuesOfTheItemsThatMatch() throws {
        let title: [String: Any] = [
            "NSStringFormat": "%@ of %d: “%@”, “%@” and %@ more into “%@” (100%%)",
            "NSStringFormatValues": [
                "matchingItemsCount", "sourceItemsCount", "firstMatchingItem.filename", "secondMatchingItem.filename",
                "matchingItemsCountMinusTwo", "destinationItem.filename",
            ],
        ]
        let subtitle: [String: Any] = [
            "NSStringFormat": "%2$@ before %1$@%@", "NSStringFormatValues": ["action", "sourceItem.documentSize * 2"],
        ]
        let interaction = alert(
            "sourceItem.filename != 'b'", of: ["LocalizedTitle": title, "LocalizedSubTitle": subtitle])
        let subject = InteractionSubject(.copy, ["a", "b", "c", "d"].map { item($0) }, to: item("Shared"))
        let shown = try #require(try shown(subject, interaction))
        #expect(shown.title == "3 of 3: “a”, “c” and 1 more into “Shared” (100%)")
        // The place after the first value takes the second one.
        #expect(shown.subtitle == "24 before Copy24")
        let one = try #require(try self.shown(InteractionSubject(.copy, [item("a")]), interaction))
        #expect(one.title == "1 of 1: “a”, “” and  more into “” (100%)")
    }

    @Test func theFirstInteractionThatAppliesCounts() throws {
        let nested: [String: Any] = [
            "ActivationRule": "action == 'Trash' AND sourceItem.isShared == YES",
            "SubInteractions": [
                alert("sourceItemsCount == 1", of: ["LocalizedTitle": "one"]),
                alert("sourceItemsCount > 1", of: ["LocalizedTitle": "several"]),
            ],
        ]
        let last = alert("TRUEPREDICATE", of: ["LocalizedTitle": "last"])
        func title(_ items: [PredicateValue]) throws -> String? {
            try shown(InteractionSubject(.trash, items), nested, last)?.title
        }
        // Nested rules count the items that the enclosing rule holds for.
        #expect(try title([item("a", isShared: true), item("b")]) == "one")
        #expect(try title([item("a", isShared: true), item("b", isShared: true)]) == "several")
        #expect(try title([item("a")]) == "last")
        #expect(try title([]) == nil)
    }

    @Test func itemsFromOutsideAreOnlyCounted() throws {
        let rule = "action == 'MoveIn' AND sourceItemsCount == 3 AND destinationItem.filename == 'd'"
        let subject = InteractionSubject(.moveIn, count: 3, to: item("d"))
        #expect(try shown(subject, alert(rule)) != nil)
        #expect(try shown(InteractionSubject(.moveIn, count: 2, to: item("d")), alert(rule)) == nil)
        #expect(try shown(subject, alert("sourceItem.filename == 'a'")) == nil)
    }

    @Test func optionsAreReadBesideTheAlertAndInIt() throws {
        let subject = InteractionSubject(.delete, [item("a")])
        let full = try #require(
            try shown(
                subject,
                alert(
                    "TRUEPREDICATE", ["HelpURL": "https://example.org", "SuppressionIdentifier": "s"],
                    of: [
                        "LocalizedRecoveryOptions": ["Continue": "Do It", "Cancel": "Leave"],
                        "RecoveryOptions": ["Destructive": true],
                    ])))
        #expect(full.continueLabel == "Do It" && full.cancelLabel == "Leave" && full.isDestructive && full.canContinue)
        #expect(full.helpURL == "https://example.org" && full.suppression == "s")
        let program = alert("TRUEPREDICATE", ["HelpURL": "file:///usr/bin/true"])
        #expect(try shown(subject, program)?.helpURL == nil)
        // The place and the spelling of Apple's header. An alert that forbids cannot be suppressed.
        let forbidding = alert(
            "TRUEPREDICATE", ["RecoveryOptions": ["Continue": false], "SupressionIdentifier": "s"])
        let forbidden = try #require(try shown(subject, forbidding))
        #expect(!forbidden.canContinue && !forbidden.isDestructive && forbidden.suppression == nil)
        #expect(try read([forbidding]).contains(where: \.mayForbid))
        #expect(try !read([alert("TRUEPREDICATE")]).contains(where: \.mayForbid))
        // Nested interactions have the identifier of the enclosing one.
        let outer: [String: Any] = [
            "ActivationRule": "TRUEPREDICATE", "SuppressionIdentifier": "outer",
            "SubInteractions": [
                alert("action == 'Move'", ["SuppressionIdentifier": "inner"]), alert("TRUEPREDICATE"),
            ],
        ]
        #expect(try shown(subject, outer)?.suppression == "outer")
        #expect(try read([outer])[0].suppressions == ["inner", "outer"])
    }

    @Test(arguments: [
        ("action ==", "ActivationRule"), ("unknownItem.filename == 'a'", "\"action\" or"),
        ("sourceItem.unknown == 1", "a property of an item"), ("", "ActivationRule is not a string"),
    ])
    func aFaultInARuleIsReported(_ rule: String, _ words: String) throws {
        let bundle = try ExtensionFolder.inspect([
            "NSFileProviderUserInteractions": [alert(rule), alert("TRUEPREDICATE")]
        ])
        #expect(bundle.interactions.count == 1)
        let fault = try #require(bundle.interactionFaults.first)
        #expect(fault.hasPrefix("the interaction number 1 is left out: ") && fault.contains(words), "\(fault)")
        #expect(bundle.minorFaults == bundle.interactionFaults)
    }

    @Test func otherFaultsAreReported() throws {
        func faults(_ stored: Any) throws -> String {
            try ExtensionFolder.inspect(["NSFileProviderUserInteractions": stored]).interactionFaults
                .joined(separator: "; ")
        }
        #expect(try faults("text").contains("is not an array"))
        #expect(try faults([1]).contains("it is not a dictionary"))
        #expect(try faults([["ActivationRule": "TRUEPREDICATE"]]).contains("neither Alert nor SubInteractions"))
        #expect(
            try faults([["ActivationRule": "TRUEPREDICATE", "Alert": [String: Any]()]]).contains(
                "LocalizedTitle is missing"))
        let format: [String: Any] = ["NSStringFormat": "%@", "NSStringFormatValues": ["sourceItem.filename =="]]
        #expect(try faults([alert("TRUEPREDICATE", of: ["LocalizedTitle": format])]).contains("LocalizedTitle: "))
        #expect(
            try faults([alert("TRUEPREDICATE", ["RecoveryOptions": ["Continue": "no"]])]).contains(
                "neither true nor false"))
        var deep: [String: Any] = alert("TRUEPREDICATE")
        for _ in 0..<20 { deep = ["ActivationRule": "TRUEPREDICATE", "SubInteractions": [deep]] }
        #expect(try faults([deep]).contains("nested more than"))
        let many = Array(repeating: alert("TRUEPREDICATE"), count: 201)
        #expect(try faults(many).contains("there are more than 200 interactions"))
    }
}

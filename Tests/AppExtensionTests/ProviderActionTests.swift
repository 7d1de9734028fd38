import AppExtension
import Foundation
import Testing

/// The actions of a file provider's property list, and the rules that choose among them.
@Suite struct ProviderActionTests {
    private func subject(_ values: [ProviderItemProperty: PredicateValue] = [:]) -> PredicateValue {
        var properties: [String: PredicateValue] = [
            "filename": .text("Émile.txt"), "typeIdentifier": .text("public.plain-text"),
            "contentType": .object(["identifier": .text("public.plain-text")]), "documentSize": .number(12),
            "isUploaded": .flag(true), "uploaded": .flag(true), "isTrashed": .flag(false), "lastUsedDate": .nothing,
            "userInfo": .object([
                "kept": .number(1), "owner": .text("ann"), "com.example.bit": .number(0), "a.inherited": .number(1),
            ]),
        ]
        for (property, value) in values { properties[property.rawValue] = value }
        return .object(properties)
    }

    private func action(rule: String) throws -> ExtensionAction {
        let list = ["NSExtensionFileProviderActions": [StoredAction.make("a", "A", rule: rule)]]
        let bundle = try ExtensionFolder.inspect(list)
        return try #require(bundle.actions.first, "\(bundle.actionFaults)")
    }

    @Test(arguments: [
        ("TRUEPREDICATE", true), ("fileproviderItems.@count == 1", true),
        ("SUBQUERY ( fileproviderItems, $fileproviderItem, $fileproviderItem.uploaded == YES ).@count > 0", true),
        ("SUBQUERY(fileproviderItems, $i, $i.isUploaded == NO).@count > 0", false),
        ("SUBQUERY(fileproviderItems, $i, $i.userInfo.kept == YES).@count > 0", true),
        ("SUBQUERY(fileproviderItems, $i, $i.userInfo.\"com.example.bit\" == YES).@count > 0", false),
        ("SUBQUERY(fileproviderItems, $i, $i.userInfo.com.example.bit == 0).@count > 0", true),
        ("SUBQUERY(fileproviderItems, $i, $i.userInfo.a.inherited == TRUE).@count > 0", true),
        ("SUBQUERY(fileproviderItems, $i, $i.userInfo.nowhere != YES).@count > 0", true),
        ("SUBQUERY(fileproviderItems, $i, $i.userInfo.nowhere == NO).@count > 0", false),
        ("SUBQUERY(fileproviderItems, $i, $i.userInfo.owner != nil).@count > 0", true),
        ("SUBQUERY(fileproviderItems, $i, $i.lastUsedDate == NULL).@count > 0", true),
        ("SUBQUERY(fileproviderItems, $i, $i.userInfo.owner IN {\"ann\", \"bob\"}).@count > 0", true),
        ("SUBQUERY(fileproviderItems, $i, $i.userInfo.owner IN {}).@count > 0", false),
        ("ANY fileproviderItems.contentType.identifier UTI-CONFORMS-TO 'public.text'", true),
        ("ANY fileproviderItems.typeIdentifier UTI-EQUALS 'public.folder'", false),
        ("ANY fileproviderItems.filename ENDSWITH '.txt' AND ANY fileproviderItems.documentSize >= 12", true),
        ("ANY fileproviderItems.filename BEGINSWITH[cd] 'EMILE'", true),
        ("ANY fileproviderItems.filename BEGINSWITH[c] 'emile'", false),
        ("ANY fileproviderItems.filename ==[cd] 'emile.TXT'", true),
        ("ANY fileproviderItems.filename CONTAINS 'mil'", true),
        ("ANY fileproviderItems.filename LIKE '?mi*.t?t'", true),
        ("ANY fileproviderItems.filename LIKE '*.pdf'", false),
        ("ANY fileproviderItems.filename LIKE[c] '*TXT*'", true), ("domainUserInfo.plan == 'free'", true),
        ("domainUserInfo.plan != 'free'", false),
    ])
    func everyFormOfARuleIsUnderstood(_ rule: String, _ expected: Bool) throws {
        let domain = PredicateValue.object(["plan": .text("free")])
        #expect(try action(rule: rule).accepts([subject()], domain: domain) == expected)
    }

    @Test func aRuleMayAskWhatTheFoldersAroundAnItemSay() throws {
        let rule = try action(
            rule: "SUBQUERY(fileproviderItems, $i, $i.inheritedUserInfo.team.name == 'red').@count > 0")
        let inherited = PredicateValue.object(["team.name": .text("red")])
        #expect(rule.accepts([subject([.inheritedUserInfo: inherited])]))
        #expect(!rule.accepts([subject()]))
    }

    @Test func namesOfActionsAreThoseOfTheBundlesTables() throws {
        let folder = try ExtensionFolder { information in
            information["CFBundleDevelopmentRegion"] = "de"
            var described = information["NSExtension"] as? [String: Any] ?? [:]
            described["NSExtensionFileProviderActions"] = [
                StoredAction.make("a", "ACTION_A", rule: "TRUEPREDICATE"),
                StoredAction.make("b", "ACTION_B", rule: "TRUEPREDICATE"),
                StoredAction.make("c", "Plain", rule: "TRUEPREDICATE"),
            ]
            information["NSExtension"] = described
        }
        for (language, text) in [("de", "ACTION_A"), ("en", "ACTION_B")] {
            let place = folder.path + "/\(language).lproj"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            let table = "/* A comment. */\n\"\(text)\" = \"In \(language): “\\\"x\\\"”\";\n"
            try #require(table.data(using: language == "de" ? .utf16 : .utf8))
                .write(to: URL(fileURLWithPath: place + "/Localizable.strings"))
        }
        let actions = try #require(ExtensionInspection(path: folder.path).bundle).actions
        #expect(actions.map(\.name) == ["In de: “\"x\"”", "In en: “\"x\"”", "Plain"])
    }

    @Test func aRuleIsAboutAllItemsThatWereChosen() throws {
        let all = try action(
            rule: "SUBQUERY(fileproviderItems, $i, $i.isUploaded == YES).@count == fileproviderItems.@count")
        #expect(all.accepts([subject(), subject()]))
        #expect(!all.accepts([subject(), subject([.isUploaded: .flag(false)])]))
    }

    @Test func missingAttributesCountInPredicatesOverAllItems() throws {
        let items = [subject(), subject([.documentSize: .nothing, .lastUsedDate: .number(1)])]
        for (rule, expected) in [
            ("ALL fileproviderItems.documentSize > 10", false), ("ANY fileproviderItems.documentSize > 10", true),
            ("NONE fileproviderItems.documentSize > 10", false), ("ANY fileproviderItems.lastUsedDate == nil", true),
            ("ALL fileproviderItems.lastUsedDate == nil", false), ("ALL fileproviderItems.userInfo.no == nil", true),
            ("ANY fileproviderItems.tagData == 'Work'", false), ("fileproviderItems.tagData.@count == 0", true),
        ] {
            #expect(try action(rule: rule).accepts(items) == expected, "\(rule)")
        }
    }

    @Test(arguments: [
        ("$fileproviderItems.@count > 0", "$fileproviderItems"), ("fileProviderItems.@count > 0", "fileProviderItems"),
        ("SUBQUERY(fileproviderItems, $i, $i.uploadded == YES).@count > 0", "a property of an item is expected"),
        ("ANY fileproviderItems.filename MATCHES '(a'", "\")\" is expected"),
        ("ANY fileproviderItems.filename MATCHES fileproviderItems", "a pattern in quotes"),
        ("fileproviderItems[FIRST == 1", "\"]\""), ("sum() == 1", "sum takes 1 values, and 0 are given"),
        ("length('a', 'b') == 1", "length takes 1 values"), ("system('a') == 1", "a function"),
        ("fileproviderItems.@sum > 1", "a name"), ("fileproviderItems.@all.documentSize > 1", "\"sum\""),
        ("fileproviderItems.@count + > 1", "value"),
        ("extensionItems.@count > 0", "\"extensionItems\""),
        ("ANY fileproviderItems.filename ==[x] 'a'", "\"cd\""), ("ANY fileproviderItems.filename IN {'a'", "\"}\""),
        ("ANY fileproviderItems.filename <[c] 'a'", "value"), ("", "NSExtensionFileProviderActionActivationRule"),
        ("fileproviderItems", "comparison"),
    ])
    func aRuleThatCannotBeParsedIsToldInOneLineAndTheOthersGoOn(_ rule: String, _ words: String) throws {
        let bundle = try ExtensionFolder.inspect([
            "NSExtensionFileProviderActions": [
                StoredAction.make("first", "First", rule: "TRUEPREDICATE"), StoredAction.make("bad", "Bad", rule: rule),
                StoredAction.make("last", "Last", rule: "FALSEPREDICATE"),
            ]
        ])
        #expect(bundle.actions.map(\.identifier) == ["first", "last"])
        let fault = try #require(bundle.actionFaults.first)
        #expect(bundle.actionFaults.count == 1)
        #expect(fault.hasPrefix("the action \"bad\" is left out: ") && fault.contains(words), "\(fault)")
        #expect(!fault.contains("\n"))
    }

    @Test func actionsThatMakeNoSenseAreLeftOut() throws {
        func faults(_ stored: Any) throws -> [String] {
            try ExtensionFolder.inspect(["NSExtensionFileProviderActions": stored]).actionFaults
        }
        #expect(try faults("x") == ["NSExtensionFileProviderActions is not an array"])
        #expect(try faults(["x"]) == ["the action number 1 is left out: it is not a dictionary"])
        var nameless = StoredAction.make("a", "A", rule: "TRUEPREDICATE")
        nameless["NSExtensionFileProviderActionName"] = nil
        #expect(
            try faults([nameless]) == ["the action \"a\" is left out: NSExtensionFileProviderActionName is missing"])
        var other = StoredAction.make("a", "A", rule: "TRUEPREDICATE")
        other["PurveyActionTopic"] = "weather"
        #expect(try faults([other]) == ["the action \"a\" is left out: PurveyActionTopic is not \"versions\""])
        let twice = StoredAction.make("a", "A", rule: "TRUEPREDICATE")
        #expect(try faults([twice, twice]) == ["the action \"a\" is left out: another one has the same identifier"])
        let many = (0..<200).map { StoredAction.make("\($0)", "A", rule: "TRUEPREDICATE") }
        let bundle = try ExtensionFolder.inspect(["NSExtensionFileProviderActions": many])
        #expect(bundle.actions.count == 100 && bundle.actionFaults.count == 1)
        #expect(try ExtensionFolder.inspect([:]).actions.isEmpty)
    }

    @Test func aUserInterfaceBelongsToTheProviderOfTheSameProgram() throws {
        func bundle(_ identifier: String, _ more: [String: Any] = [:], point: String) throws -> ExtensionBundle {
            try ExtensionFolder.inspect(
                more.merging(["NSExtensionPointIdentifier": point]) { $1 }, identifier: identifier)
        }
        let (ui, nonUI) = (ExtensionBundle.providerInterfacePoint, ExtensionBundle.providerPoint)
        let provider = try bundle("org.example.app.provider", point: nonUI)
        #expect(try bundle("org.example.app.ui", point: ui).isInterface(of: provider))
        #expect(try !bundle("org.example.other.ui", point: ui).isInterface(of: provider))
        #expect(try !bundle("org.example.app.ui", point: nonUI).isInterface(of: provider))
        let named = ["PurveyFileProvider": "org.example.app.provider"]
        #expect(try bundle("org.elsewhere.ui", named, point: ui).isInterface(of: provider))
        let another = ["PurveyFileProvider": "org.example.app.another"]
        #expect(try !bundle("org.example.app.ui", another, point: ui).isInterface(of: provider))
    }
}

/// An action in the form that a property list has.
private enum StoredAction {
    static func make(_ identifier: String, _ name: String, rule: String) -> [String: String] {
        [
            "NSExtensionFileProviderActionIdentifier": identifier, "NSExtensionFileProviderActionName": name,
            "NSExtensionFileProviderActionActivationRule": rule,
        ]
    }
}

extension ExtensionFolder {
    /// Returns the bundle of a valid property list whose `NSExtension` has additional entries.
    static func inspect(
        _ more: [String: Any], identifier: String = "com.example.peer"
    ) throws -> ExtensionBundle {
        let folder = try ExtensionFolder { information in
            information["CFBundleIdentifier"] = identifier
            let described = information["NSExtension"] as? [String: Any] ?? [:]
            information["NSExtension"] = described.merging(more) { $1 }
        }
        let inspection = ExtensionInspection(path: folder.path)
        return try #require(inspection.bundle, "\(inspection.faults)")
    }
}

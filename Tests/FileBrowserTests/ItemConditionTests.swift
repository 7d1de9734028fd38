import DomainMessages
import FileBrowser
import FileProvider
import ItemValues
import Testing

/// Tests of the words for states, each of which must explain itself.
struct ItemConditionTests {
    private func condition(
        _ state: ItemDescription.State, _ change: (inout ItemDescription) -> Void = { _ in }
    ) -> ItemCondition {
        var item = ItemDescription(
            name: "Plan.txt", identifier: "1", kind: .file, contentType: "", size: 1, modified: nil, state: state,
            isPinned: false, fault: nil, target: nil)
        change(&item)
        return ItemCondition(item, domain: "Cloud")
    }

    @Test func everyStateOfAFileHasAWordAndAnExplanation() {
        let words: [(ItemDescription.State, String)] = [
            (.dataless, "In the cloud"), (.partial, "Partly here"), (.current, "Here"), (.edited, "Waiting"),
            (.uploading, "Uploading"), (.error, "Failed"),
        ]
        for (state, word) in words {
            #expect(condition(state).word == word)
            #expect(condition(state).explanation.hasSuffix("."))
        }
        #expect(condition(.current) { $0.isPinned = true }.word == "Kept")
    }

    @Test func anUploadShowsItsProgressWhateverTheProviderReports() {
        let half = condition(.uploading) { ($0.sent, $0.total) = (50, 100) }
        #expect(half.word == "Uploading, 50 %")
        let wrong = condition(.uploading) { ($0.sent, $0.total) = (.max, 1) }
        #expect(wrong.word == "Uploading, 100 %")
        #expect(condition(.uploading) { ($0.sent, $0.total) = (-5, -1) }.word == "Uploading")
    }

    @Test func aFailureHasItsReasonTheProvidersSuggestionAndARemedy() {
        let full = condition(.error) {
            $0.fault = ItemFault(kind: .persistent, message: "the quota is exceeded", suggestion: "delete something")
        }
        #expect(full.explanation == "The quota is exceeded. Delete something.")
        #expect(full.remedy == .retry(domain: "Cloud"))
        let password = condition(.error) {
            $0.fault = ItemFault(kind: .authentication, message: "the password is wrong", suggestion: nil)
        }
        #expect(password.remedy == .signIn(domain: "Cloud"))
        let passing = condition(.error) {
            $0.fault = ItemFault(kind: .transient, message: "the server is busy", suggestion: nil)
        }
        #expect(passing.word == "Waiting" && passing.remedy == nil)
    }

    @Test func namesThatNoFileCanHaveAreExplained() {
        for name in ["", ".", "..", "a/b", String(repeating: "é", count: 128)] {
            #expect(Browser.fault(ofName: name) != nil, "\(name)")
        }
        #expect(Browser.fault(ofName: "..a") == nil)
    }
}

import ItemValues
import Testing

/// Tests of texts that are compared byte by byte.
@Suite struct ExactTextTests {
    private static let forms = ["r\u{E9}sum\u{E9}", "re\u{301}sume\u{301}"]

    @Test func aTextInAnotherNormalFormIsAnother() {
        let (one, other) = (ExactText(Self.forms[0]), ExactText(Self.forms[1]))
        #expect(one != other && one == ExactText(Self.forms[0]))
        #expect(other < one && [one, other].sorted() == [other, one])
        #expect([one: 1, other: 2] == [other: 2, one: 1])
    }

    @Test func aSetOfTextsHasEachForm() {
        var texts = Set(texts: Self.forms)
        #expect(texts.count == 2)
        #expect(!texts.insert(Self.forms[0]) && texts.insert("third"))
        #expect(texts.remove(Self.forms[0]) && !texts.remove(Self.forms[0]))
        #expect(texts.contains(Self.forms[1]) && !texts.contains(Self.forms[0]))
        #expect(Set(texts: texts.strings) == texts)
    }

    /// - Parameter text: The number of the item's text that has another normal form.
    @Test(arguments: 0..<4) func anItemWithATextInAnotherNormalFormIsAnother(_ text: Int) {
        func item(_ form: Int) -> ProviderItem {
            func own(_ number: Int) -> String { Self.forms[number == text ? form : 0] }
            var item = ProviderItem(identifier: own(0), parent: own(1), filename: own(2), kind: .symbolicLink)
            item.linkTarget = own(3)
            return item
        }
        #expect(item(0) == item(0))
        #expect(item(0) != item(1))
        #expect(item(0).hasTarget(of: item(1)) == (text != 3))
    }
}

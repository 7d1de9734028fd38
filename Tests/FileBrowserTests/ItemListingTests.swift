import DomainMessages
import FileBrowser
import FileProvider
import ItemValues
import Testing

/// Tests of the rows of a listing, which views follow by the changes that it reports.
@MainActor struct ItemListingTests {
    private func item(
        _ name: String, isFolder: Bool = false, size: Int64? = nil, state: ItemDescription.State = .current
    ) -> BrowserItem {
        BrowserItem(
            domain: "Cloud", folder: "", mount: nil,
            description: ItemDescription(
                name: name, identifier: name, kind: isFolder ? .folder : .file, contentType: "", size: size,
                modified: nil, state: state, isPinned: false, fault: nil, target: nil))
    }

    /// A view that receives only the reported changes of the rows.
    private final class View {
        var names: [String] = []
    }

    private func follow(_ listing: ItemListing) -> View {
        let view = View()
        listing.whenChanged = { change in
            view.names.replaceSubrange(
                change.position..<(change.position + change.removed),
                with: (change.position..<(change.position + change.added)).map { listing[$0].name })
        }
        return view
    }

    @Test func foldersComeFirstAndNumbersCountByTheirValue() {
        let listing = ItemListing()
        listing.append(["Page 10", "page 9", "b.txt", "Äpfel", "Page 010"].map { item($0) })
        listing.append([item("Zoo", isFolder: true)])
        listing.flush()
        #expect(listing.all.map(\.name).first == "Zoo")
        #expect(listing.all.map(\.name).dropFirst().prefix(2) == ["b.txt", "page 9"])
        #expect(listing.all.map(\.name).last == "Äpfel")
    }

    @Test func aViewThatFollowsTheChangesHasTheSameRows() {
        let listing = ItemListing()
        let view = follow(listing)
        var numbers = SystemRandomNumberGenerator()
        for round in 0..<400 {
            let name = "file \(Int.random(in: 0..<300, using: &numbers))"
            switch round % 5 {
            case 0: listing.append((0..<3).map { item("new \(round)-\($0)") })
            case 1, 2: listing.set(item(name, size: Int64.random(in: 0..<50, using: &numbers)))
            case 3: listing.remove(item(name).id)
            default:
                listing.setOrder(
                    ItemOrder(ItemOrder.Key.allCases[round / 5 % 4], isDescending: round.isMultiple(of: 2)))
            }
        }
        listing.flush()
        #expect(view.names == listing.all.map(\.name))
        #expect(Set(view.names).count == view.names.count)
        let kept = Array(listing.all.prefix(100)) + [item("added")]
        listing.replace(with: kept)
        #expect(view.names == listing.all.map(\.name))
        #expect(Set(view.names) == Set(kept.map(\.name)))
    }

    @Test func rowsThatStayAreNotReportedWhenAListingIsReadAgain() {
        let listing = ItemListing()
        listing.replace(with: (0..<1_000).map { item("file \($0)") })
        var changes: [ItemListing.Change] = []
        var updated: [Int] = []
        listing.whenChanged = { changes.append($0) }
        listing.whenUpdated = { updated += $0 }
        var again = (0..<1_000).filter { $0 != 500 }.map { item("file \($0)") }
        again[3].description.state = .dataless
        again.append(item("zebra"))
        listing.replace(with: again)
        #expect(updated == [3])
        #expect(changes.map(\.removed).reduce(0, +) == 1 && changes.map(\.added).reduce(0, +) == 1)
        #expect(listing.row(of: item("zebra").id) == 999)
    }

    @Test func allRowsAreExchangedInOneChange() {
        let listing = ItemListing()
        listing.replace(with: ["a", "b", "c"].map { item($0) })
        var changes: [ItemListing.Change] = []
        listing.whenChanged = { changes.append($0) }
        listing.exchange(with: ["z", "b"].map { item($0) })
        #expect(listing.all.map(\.name) == ["b", "z"])
        #expect(listing.row(of: item("z").id) == 1 && listing.row(of: item("a").id) == nil)
        listing.exchange(with: [])
        #expect(listing.count == 0)
        #expect(changes.map(\.removed) == [3, 2] && changes.map(\.added) == [2, 0])
    }

    @Test func namesOfEqualCharactersAndOtherBytesAreTwoItems() {
        let listing = ItemListing()
        listing.append([item("caf\u{E9}"), item("cafe\u{301}")])
        listing.flush()
        listing.remove(item("cafe\u{301}").id)
        #expect(listing.count == 1 && listing[0].name.utf8.elementsEqual("caf\u{E9}".utf8))
    }

    @Test func anItemThatChangedWhileTheListingArrivesHasOneRow() {
        let listing = ItemListing()
        listing.append([item("a")])
        listing.set(item("z", state: .dataless))
        listing.append([item("b"), item("z")])
        listing.flush()
        #expect(listing.all.map(\.name) == ["a", "b", "z"])
    }

    @Test func aHundredThousandItemsThatArriveInPagesAreAllInOrder() {
        let listing = ItemListing()
        for page in 0..<200 { listing.append((0..<500).map { item("file \(($0 * 200 + page) &* 7_919 % 100_003)") }) }
        listing.flush()
        let keys = listing.all.map { ItemOrder.sortKey(of: $0.name) }
        #expect(listing.count == 100_000)
        #expect(zip(keys, keys.dropFirst()).allSatisfy { !$1.lexicographicallyPrecedes($0) })
    }
}

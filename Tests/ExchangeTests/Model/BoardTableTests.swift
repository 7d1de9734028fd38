import Exchange
import Foundation
import ItemProvider
import Testing

@Suite struct BoardTableTests {
    private func manifest(_ types: [String] = ["public.png"], name: String? = nil, id: UUID = UUID()) -> OfferManifest {
        OfferManifest(
            identifier: id, name: name,
            representations: types.enumerated().map {
                RepresentationManifest(index: $0.offset, typeIdentifier: $0.element, visibility: 0, fileOptions: 0)
            })
    }

    @Test func itemsKeepTheOrderInWhichTheyWereOffered() throws {
        var table = BoardTable()
        let offers = (0..<20).map { manifest(name: "\($0)") }
        for (position, offer) in offers.enumerated() {
            try table.offer(offer, on: "shelf", owner: UInt64(position % 3))
        }
        #expect(table.items(on: "shelf").map(\.manifest) == offers)
        #expect(table.items(on: "other").isEmpty)
        #expect(table.items(of: 1).map(\.manifest.name) == ["1", "4", "7", "10", "13", "16", "19"])
    }

    @Test func aListingGoesOnAfterACursor() throws {
        var table = BoardTable()
        for number in 0..<5 { try table.offer(manifest(name: "\(number)"), on: "b", owner: 1) }
        let second = table.items(on: "b")[1]
        #expect(table.items(on: "b", after: second.sequence).map(\.manifest.name) == ["2", "3", "4"])
    }

    @Test func oneConnectionWithManyBoardsLeavesRoomForTheOthers() throws {
        var limits = ExchangeLimits()
        limits.boardsPerConnection = 3
        limits.boards = 2
        var table = BoardTable(limits: limits)
        let offers = (0..<3).map { manifest(name: "\($0)") }
        for (number, offer) in offers.enumerated() { try table.offer(offer, on: "\(number)", owner: 1) }
        #expect(throws: ExchangeRefusalError.self) { try table.offer(manifest(), on: "one more", owner: 1) }
        // The process may offer more on a board that it uses already, and others may use any board.
        try table.offer(manifest(), on: "2", owner: 1)
        try table.replaceContents(of: "general", with: [manifest()], owner: 2)
        for number in 0..<2 { try table.offer(manifest(), on: "other \(number)", owner: 2) }
        // A board no longer counts once none of the process's items is on it, for any reason.
        try table.withdraw(offers[0].identifier, owner: 1)
        try table.offer(manifest(), on: "one more", owner: 1)
        try table.replaceContents(of: "1", with: [manifest()], owner: 3)
        try table.offer(manifest(), on: "another", owner: 1)
        table.removeAll(of: 1)
        for number in 0..<3 { try table.offer(manifest(), on: "anew \(number)", owner: 1) }
    }

    @Test func onlyTheOwnerWithdraws() throws {
        var table = BoardTable()
        let offer = manifest()
        try table.offer(offer, on: "b", owner: 1)
        #expect(throws: ExchangeRefusalError.noSuchItem) { try table.withdraw(offer.identifier, owner: 2) }
        try table.withdraw(offer.identifier, owner: 1)
        #expect(throws: ExchangeRefusalError.noSuchItem) { try table.withdraw(offer.identifier, owner: 1) }
        #expect(table.count == 0)
    }

    @Test func theEndOfAConnectionEndsItsOffersAndNoOthers() throws {
        var table = BoardTable()
        try table.offer(manifest(name: "a"), on: "b", owner: 1)
        try table.offer(manifest(name: "b"), on: "c", owner: 2)
        try table.offer(manifest(name: "c"), on: "b", owner: 2)
        let before = table.changeCount(of: "b")
        #expect(table.removeAll(of: 2).count == 2)
        #expect(table.items(on: "b").map(\.manifest.name) == ["a"])
        #expect(table.changeCount(of: "b") == before + 1)
    }

    @Test func replacedContentsAreReturned() throws {
        var table = BoardTable()
        try table.replaceContents(of: "general", with: [manifest(name: "old")], owner: 1)
        let replaced = try table.replaceContents(
            of: "general", with: [manifest(name: "x"), manifest(name: "y")], owner: 2)
        #expect(replaced.map(\.manifest.name) == ["old"])
        #expect(replaced.map(\.owner) == [1])
        #expect(table.items(on: "general").map(\.manifest.name) == ["x", "y"])
        #expect(table.items(of: 1).isEmpty)
    }

    @Test func contentsThatAreRefusedLeaveTheBoardAsItWas() throws {
        var table = BoardTable()
        try table.replaceContents(of: "general", with: [manifest(name: "old")], owner: 1)
        let count = table.changeCount(of: "general")
        #expect(throws: ExchangeRefusalError.self) {
            try table.replaceContents(of: "general", with: [manifest([])], owner: 2)
        }
        #expect(table.items(on: "general").map(\.manifest.name) == ["old"])
        #expect(table.changeCount(of: "general") == count)
    }

    @Test func anOwnerGoesOnWritingUnderTheSameCount() throws {
        var table = BoardTable()
        try table.replaceContents(of: "general", with: [], owner: 1)
        let count = table.changeCount(of: "general")
        try table.replaceContents(of: "general", with: [manifest(name: "a")], owner: 1, amending: count)
        try table.replaceContents(
            of: "general", with: [manifest(name: "b"), manifest(name: "c")], owner: 1, amending: count)
        #expect(table.items(on: "general").map(\.manifest.name) == ["b", "c"])
        #expect(table.changeCount(of: "general") == count)
        // Amending fails for another process's items and after a change.
        #expect(throws: ExchangeRefusalError.self) {
            try table.replaceContents(of: "general", with: [manifest(name: "x")], owner: 2, amending: count)
        }
        try table.replaceContents(of: "general", with: [], owner: 2)
        #expect(throws: ExchangeRefusalError.self) {
            try table.replaceContents(of: "general", with: [manifest(name: "x")], owner: 1, amending: count)
        }
        #expect(table.items(on: "general").isEmpty && table.changeCount(of: "general") == count + 1)
    }

    @Test func everyChangeOfABoardIsCounted() throws {
        var table = BoardTable(firstChangeCount: 100)
        #expect(table.changeCount(of: "b") == 100)
        let offer = manifest()
        try table.offer(offer, on: "b", owner: 1)
        #expect(table.changeCount(of: "b") == 101)
        try table.withdraw(offer.identifier, owner: 1)
        #expect(table.changeCount(of: "b") == 102)
        try table.replaceContents(of: "b", with: [], owner: 1)
        #expect(table.changeCount(of: "b") == 103)
        #expect(table.changeCount(of: "other") == 100)
    }

    @Test func boardsThatAreForgottenNeverShowAnOldCountAgain() throws {
        var limits = ExchangeLimits()
        limits.boards = 4
        var table = BoardTable(limits: limits)
        for _ in 0..<9 { try table.replaceContents(of: "busy", with: [], owner: 1) }
        for number in 0..<8 { try table.replaceContents(of: "\(number)", with: [], owner: 1) }
        #expect(table.changeCount(of: "busy") >= 9)
    }

    @Test func boardsWithItemsDoNotMakeTheTableForgetEmptyOnes() throws {
        var limits = ExchangeLimits()
        limits.boards = 2
        var table = BoardTable(limits: limits)
        try table.replaceContents(of: "empty", with: [], owner: 1)
        for number in 0..<4 { try table.offer(manifest(), on: "\(number)", owner: 1) }
        // An unused board would have the same count if the empty one were forgotten.
        #expect(table.changeCount(of: "empty") == 1 && table.changeCount(of: "unused") == 0)
    }

    @Test func anIdentifierIsOfferedOnce() throws {
        var table = BoardTable()
        let offer = manifest()
        try table.offer(offer, on: "b", owner: 1)
        #expect(throws: ExchangeRefusalError.self) { try table.offer(offer, on: "c", owner: 2) }
        #expect(throws: ExchangeRefusalError.self) {
            let twice = manifest()
            try table.replaceContents(of: "c", with: [twice, twice], owner: 2)
        }
    }

    @Test func limitsAreKept() throws {
        var limits = ExchangeLimits()
        limits.offersPerConnection = 2
        limits.representationsPerOffer = 3
        var table = BoardTable(limits: limits)
        try table.offer(manifest(), on: "b", owner: 1)
        try table.offer(manifest(), on: "b", owner: 1)
        #expect(throws: ExchangeRefusalError.refused("one process offers at most 2 items at a time")) {
            try table.offer(manifest(), on: "b", owner: 1)
        }
        try table.offer(manifest(), on: "b", owner: 2)
        // Replaced items make room.
        try table.replaceContents(of: "b", with: [manifest(), manifest()], owner: 1)
        #expect(throws: ExchangeRefusalError.refused("an item has at most 3 representations")) {
            try table.offer(manifest(["a", "b", "c", "d"]), on: "b", owner: 2)
        }
        #expect(throws: ExchangeRefusalError.self) {
            try table.offer(manifest(name: String(repeating: "x", count: 5_000)), on: "b", owner: 2)
        }
        #expect(throws: ExchangeRefusalError.self) { try table.offer(manifest([""]), on: "b", owner: 2) }
        #expect(throws: ExchangeRefusalError.self) { try table.offer(manifest(), on: "", owner: 2) }
        #expect(throws: ExchangeRefusalError.self) { try table.offer(manifest(), on: "a\nb", owner: 2) }
        let unknown = OfferManifest(
            identifier: UUID(), name: nil,
            representations: [RepresentationManifest(index: 0, typeIdentifier: "a", visibility: 9, fileOptions: 0)])
        #expect(throws: ExchangeRefusalError.refused("there is no visibility 9")) {
            try table.offer(unknown, on: "b", owner: 2)
        }
    }

    @Test func anotherOwnerTakesOverInPlace() throws {
        var table = BoardTable()
        let first = manifest(["public.png", "public.jpeg"], name: "a")
        try table.replaceContents(of: "general", with: [first, manifest(name: "b")], owner: 1)
        let count = table.changeCount(of: "general")
        try table.transfer(first.identifier, from: 1, to: 0, keeping: [1])
        table.removeAll(of: 1)
        #expect(table.items(on: "general").map(\.manifest.name) == ["a"])
        #expect(table.items(of: 0).map(\.manifest.representations) == [[first.representations[1]]])
        #expect(table.changeCount(of: "general") == count + 1)
    }

    @Test func offersMadeAndWithdrawnLeaveNothing() throws {
        var table = BoardTable()
        for _ in 0..<100_000 {
            let offer = manifest()
            try table.offer(offer, on: "b", owner: 1)
            try table.withdraw(offer.identifier, owner: 1)
        }
        #expect(table.count == 0)
        #expect(table.items(of: 1).isEmpty)
        #expect(table.changeCount(of: "b") == 200_000)
    }
}

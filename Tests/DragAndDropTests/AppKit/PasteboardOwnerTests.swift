import DragAndDrop
import Foundation
import ItemProvider
import Testing

/// An owner that provides the given values, and records the requests.
private final class Owner: NSObject, NSPasteboardTypeOwner {
    let calls = Calls()
    let values: [NSPasteboard.PasteboardType: String]

    init(_ values: [NSPasteboard.PasteboardType: String]) { self.values = values }

    func pasteboard(_ sender: NSPasteboard, provideDataForType type: NSPasteboard.PasteboardType) {
        MainActor.assumeIsolated {}
        calls.add("provide \(type.rawValue)")
        if let value = values[type] { sender.setString(value, forType: type) }
    }

    func pasteboardChangedOwner(_ sender: NSPasteboard) {
        MainActor.assumeIsolated {}
        calls.add("changed \(sender.name == .general)")
    }
}

/// An owner that does not implement the notification of changes.
private final class PlainOwner: NSObject, NSPasteboardTypeOwner {
    func pasteboard(_ sender: NSPasteboard, provideDataForType type: NSPasteboard.PasteboardType) {
        sender.setString("plain", forType: type)
    }
}

private final class Provider: NSObject, NSPasteboardItemDataProvider {
    let calls = Calls()

    func pasteboard(
        _ pasteboard: NSPasteboard?, item: NSPasteboardItem, provideDataForType type: NSPasteboard.PasteboardType
    ) {
        MainActor.assumeIsolated {}
        calls.add("\(pasteboard?.name == .general) \(type.rawValue)")
        if type != .png { item.setString("as \(type.rawValue)", forType: type) }
    }

    func pasteboardFinishedWithDataProvider(_ pasteboard: NSPasteboard) {
        MainActor.assumeIsolated {}
        calls.add("finished \(pasteboard.name == .general)")
    }
}

/// A provider that does not implement the notification of the end.
private final class PlainProvider: NSObject, NSPasteboardItemDataProvider {
    func pasteboard(
        _ pasteboard: NSPasteboard?, item: NSPasteboardItem, provideDataForType type: NSPasteboard.PasteboardType
    ) { item.setString("plain", forType: type) }
}

@Suite struct PasteboardOwnerTests {
    @Test func theOwnerIsAskedWhenAReaderWantsIt() async throws {
        let programs = Programs()
        let owner = Owner([.string: "late text", .html: "<b>"])
        let calls = owner.calls
        #expect(programs.writer.declareTypes([.string, .html], owner: owner) > 0)
        try await blocking {
            #expect(programs.reader.types == [.string, .html])
            #expect(calls.all == [])
            #expect(programs.reader.string(forType: .string) == "late text")
            #expect(programs.reader.string(forType: .string) == "late text")
            #expect(programs.writer.string(forType: .string) == "late text")
            // Each type is requested once.
            #expect(calls.all == ["provide public.utf8-plain-text"])
            #expect(UIPasteboard(.general, programs.boards).data(forPasteboardType: "public.html") == Data("<b>".utf8))
        }
        #expect(calls.all == ["provide public.utf8-plain-text", "provide public.html"])
        withExtendedLifetime(owner) {}
    }

    @Test func setDataIsNotRequested() async throws {
        let programs = Programs()
        let owner = Owner([:])
        let calls = owner.calls
        programs.writer.declareTypes([.string], owner: owner)
        try await blocking {
            #expect(programs.writer.setString("set", forType: .string))
            #expect(programs.reader.string(forType: .string) == "set" && calls.all == [])
            #expect(programs.writer.setData(nil, forType: .string))
            #expect(programs.reader.string(forType: .string) == nil)
        }
        withExtendedLifetime(owner) {}
    }

    @Test func anOwnerThatGivesNothingOrIsNoneIsNoHarm() async throws {
        let programs = Programs()
        let owner = Owner([:])
        programs.writer.declareTypes([.string], owner: owner)
        try await blocking {
            #expect(programs.reader.string(forType: .string) == nil && programs.writer.string(forType: .string) == nil)
            #expect(programs.reader.availableType(from: [.string]) == .string)
            programs.writer.declareTypes([.html], owner: NSObject())
            #expect(programs.reader.types == [.html] && programs.reader.data(forType: .html) == nil)
            programs.writer.declareTypes([.html], owner: 7)
            #expect(programs.reader.data(forType: .html) == nil)
        }
        withExtendedLifetime(owner) {}
    }

    @Test func promisesEndWithTheOwner() async throws {
        let programs = Programs()
        do {
            let owner = Owner([.string: "gone"])
            programs.writer.declareTypes([.string], owner: owner)
        }
        try await blocking { #expect(programs.reader.string(forType: .string) == nil) }
    }

    @Test func addedOwnersHearOfChanges() async throws {
        let programs = Programs()
        let (first, second) = (Owner([.string: "a"]), PlainOwner())
        let calls = first.calls
        programs.writer.declareTypes([.string], owner: first)
        #expect(programs.writer.addTypes([.html], owner: second) == programs.reader.changeCount)
        try await blocking {
            #expect(programs.reader.types == [.string, .html])
            #expect(programs.reader.string(forType: .html) == "plain")
        }
        // An owner that declares types again is not notified of a change.
        programs.writer.declareTypes([.string], owner: first)
        programs.writer.declareTypes([.string], owner: second)
        #expect(await eventually { calls.all == ["changed true"] })
        let added = Owner([:])
        programs.writer.declareTypes([.string], owner: first)
        #expect(programs.writer.addTypes([.html], owner: added) > 0)
        programs.reader.clearContents()
        #expect(await eventually { calls.all == ["changed true", "changed true"] })
        let addedCalls = added.calls
        #expect(await eventually { addedCalls.all == ["changed true"] })
        withExtendedLifetime((first, second, added)) {}
    }

    @MainActor @Test func thePromisesOfTheMainThreadAreKeptWhileItWaits() async throws {
        let programs = Programs()
        let owner = Owner([.string: "from the main thread"])
        programs.writer.declareTypes([.string], owner: owner)
        // Read through another pasteboard object, which does not know the owner, so that the owner is called from
        // another thread.
        #expect(UIPasteboard(.general, programs.boards).string == "from the main thread")
        programs.writer.declareTypes([.html], owner: Owner([:]))
        #expect(programs.reader.data(forType: .html) == nil)
        withExtendedLifetime(owner) {}
    }

    @MainActor @Test func noCallWaitsForAMainThreadThatIsBusy() throws {
        let programs = Programs(patience: .milliseconds(50))
        let owner = Owner([.string: "never"])
        programs.writer.declareTypes([.string], owner: owner)
        let ended = DispatchSemaphore(value: 0)
        let calls = Calls()
        DispatchQueue.global().async {
            calls.add(programs.reader.string(forType: .string) ?? "nothing")
            ended.signal()
        }
        // The main thread is blocked by something else meanwhile.
        ended.wait()
        #expect(calls.all == ["nothing"] && owner.calls.all == [])
    }

    @Test func itemsAskTheirDataProviders() async throws {
        let programs = Programs()
        let provider = Provider()
        let calls = provider.calls
        let item = NSPasteboardItem()
        #expect(item.setDataProvider(provider, forTypes: [.string, .html, .png]))
        #expect(item.setString("now", forType: .rtf) && !item.setDataProvider(provider, forTypes: []))
        programs.writer.clearContents()
        #expect(programs.writer.writeObjects([item]))
        // An item on a pasteboard takes no further promises and no types it did not have.
        #expect(!item.setDataProvider(provider, forTypes: [.pdf]) && !item.setString("x", forType: .pdf))
        #expect(item.types == [.string, .html, .png, .rtf])
        try await blocking {
            let read = try #require(programs.reader.pasteboardItems?.first)
            #expect(read.types == [.string, .html, .png, .rtf] && read.string(forType: .rtf) == "now")
            #expect(calls.all == [])
            #expect(read.string(forType: .html) == "as public.html" && read.data(forType: .png) == nil)
            #expect(calls.all == ["true public.html", "true public.png"])
            #expect(!read.setString("x", forType: .html) && !read.setDataProvider(PlainProvider(), forTypes: [.pdf]))
        }
        programs.writer.clearContents()
        #expect(await eventually { calls.all.last == "finished true" })
        #expect(item.string(forType: .string) == nil && item.string(forType: .html) == "as public.html")
    }

    @Test func aDataProviderIsDoneWhenEverythingWasProvided() async throws {
        let programs = Programs()
        let provider = Provider()
        let calls = provider.calls
        let items = (0..<2).map { _ in NSPasteboardItem() }
        for item in items { item.setDataProvider(provider, forTypes: [.string]) }
        items[0].setDataProvider(PlainProvider(), forTypes: [.html])
        programs.writer.clearContents()
        #expect(programs.writer.writeObjects(items))
        try await blocking { #expect(items[0].string(forType: .string) == "as public.utf8-plain-text") }
        #expect(!calls.all.contains("finished true"))
        try await blocking {
            #expect(items[1].string(forType: .string) == "as public.utf8-plain-text")
            #expect(programs.reader.string(forType: .html) == "plain")
        }
        #expect(await eventually { calls.all.last == "finished true" })
        programs.writer.clearContents()
        #expect(programs.writer.setString("x", forType: .string))
        #expect(calls.all.filter { $0 == "finished true" }.count == 1)
    }

    @Test func replacedValuesAreReleased() async throws {
        let programs = Programs()
        let calls: Calls
        let gone = Gone()
        do {
            let provider = Provider()
            gone.provider = provider
            calls = provider.calls
            let item = NSPasteboardItem()
            item.setDataProvider(provider, forTypes: [.string])
            programs.writer.clearContents()
            #expect(programs.writer.writeObjects([item]))
        }
        #expect(gone.provider != nil)
        programs.reader.clearContents()
        #expect(await eventually { calls.all == ["finished true"] })
        #expect(await eventually { gone.provider == nil })
        // An owner that lost the pasteboard before it wrote anything has nothing to release.
        programs.writer.clearContents()
        programs.reader.clearContents()
        #expect(!programs.writer.setString("late", forType: .string))
    }

    @Test func manyWritersLeaveThePasteboardWhole() async throws {
        let programs = Programs()
        try await blocking {
            DispatchQueue.concurrentPerform(iterations: 200) { number in
                let pasteboard = number.isMultiple(of: 2) ? programs.writer : programs.reader
                switch number % 5 {
                case 0: pasteboard.clearContents()
                case 1: pasteboard.declareTypes([.string], owner: nil)
                case 2: _ = pasteboard.string(forType: .string)
                case 3: pasteboard.setString("\(number)", forType: .string)
                default: pasteboard.writeObjects(["\(number)" as NSString])
                }
            }
            programs.writer.clearContents()
            #expect(programs.writer.setString("last", forType: .string))
            #expect(programs.reader.string(forType: .string) == "last")
        }
    }
}

/// Sendable because reading a weak reference is safe on every thread.
private final class Gone: @unchecked Sendable {
    weak var provider: Provider?
}

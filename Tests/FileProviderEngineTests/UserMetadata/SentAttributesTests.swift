import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import TestThreads
import Testing

/// Tests of modes, dates and extended attributes that are set locally, with a provider that accepts them.
@Suite(.ownThreads)
struct SentAttributesTests {
    private static let date = 1_234_567_890.25

    /// Advances the clock until a condition holds.
    private func eventuallyLater(_ domain: TestDomain, _ isSo: () async throws -> Bool) async throws {
        try await eventually {
            domain.clock.advance(by: 1)
            return try await isSo()
        }
    }

    private func isSettled(_ domain: TestDomain) async throws {
        try await eventuallyLater(domain) { try await domain.engine.status().metadataCount == 0 }
    }

    private func set(
        _ domain: TestDomain, _ number: ItemNumber, mode: UInt16? = nil, modified: Double? = nil
    ) async throws {
        _ = try await domain.engine.doing { try $0.setAttributes(of: number, mode: mode, modified: modified) }
    }

    private func set(_ domain: TestDomain, _ number: ItemNumber, _ name: String, _ value: [UInt8]?) async throws {
        try await domain.engine.doing { try $0.setExtendedAttribute(name, of: number, to: value) }
    }

    private func domain() throws -> TestDomain {
        let domain = try TestDomain()
        domain.provider.behave { $0.keepsAttributes = true }
        return domain
    }

    /// Creates a file with an attribute that was set and sent, so that its provider is known to accept attributes.
    private func fileWithDate() async throws -> (TestDomain, identifier: String, number: ItemNumber) {
        let domain = try domain()
        let identifier = domain.provider.addFile("file.txt", "text")
        let number = try await domain.item("file.txt").number
        try await set(domain, number, modified: Self.date)
        try await isSettled(domain)
        return (domain, identifier, number)
    }

    @Test func theyArePausedRatherThanWaitingUntilTheProviderFails() async throws {
        let (domain, _, number) = try await fileWithDate()
        try await set(domain, number, modified: Self.date + 1)
        var status = try await domain.engine.status()
        #expect(status.metadataCount == 1 && status.metadataPaused == 1)
        domain.provider.fail(.set, with: .of(.serverUnreachable))
        try await eventuallyLater(domain) { domain.provider.count(.set) >= 2 }
        try await eventually { try await domain.engine.status().metadataInFlight == 0 }
        status = try await domain.engine.status()
        #expect(status.metadataCount == 1 && status.metadataPaused == 0)
        try await isSettled(domain)
    }

    @Test func attributesOfARemovedItemAreRemoved() async throws {
        let (domain, identifier, number) = try await fileWithDate()
        let made = try await domain.engine.doing { try $0.makeFolder(named: "made", in: .root, mode: 0o700) }
        func fail(_ kinds: Set<MemoryProvider.Kind>) {
            domain.provider.behave { behaviour in
                behaviour.before = { (request) throws(ProviderError) in
                    if kinds.contains(request.kind) { throw .of(.serverUnreachable) }
                }
            }
        }
        fail([.set, .create])
        try await set(domain, number, modified: Self.date + 1)
        try await domain.engine.setTags(["Work"], of: made.number)
        // By then the next attempts are minutes away.
        for _ in 0..<600 { domain.clock.advance(by: 1) }
        #expect(try await domain.engine.status().metadataCount == 2)
        domain.provider.remove(identifier)
        fail([.create])
        domain.engine.signal(container: nil)
        // The changes may be requested after a backoff, which is shorter than those of the user metadata.
        var seconds = 0
        try await eventually {
            if seconds < 60 { domain.clock.advance(by: 1) }
            seconds += 1
            return try await domain.engine.status().metadataCount == 1
        }
        try await domain.engine.doing { try $0.removeFolder("made", in: .root) }
        try await eventually { try await domain.engine.status().metadataCount == 0 }
    }

    @Test func attributesRemovedBeforeTheyAreSentTakeNoRoom() async throws {
        let domain = try domain()
        domain.provider.addFile("file")
        let number = try await domain.item("file").number
        for count in 0..<200 {
            let name = "user.\(count)-" + String(repeating: "x", count: 200)
            try await set(domain, number, name, [1])
            try await set(domain, number, name, nil)
        }
        try await set(domain, number, "user.large", Array(repeating: 7, count: 15_000))
        #expect(try domain.row(number).extendedAttributes.count == 1)
    }

    @Test func theyReachTheProviderWhoseWordsCountFromThen() async throws {
        let domain = try domain()
        let identifier = domain.provider.addFile("tool", "#!/bin/sh")
        domain.provider.update(identifier) { $0.extendedAttributes = ["user.kept": [1], "user.gone": [2]] }
        let number = try await domain.item("tool").number
        try await set(domain, number, mode: 0o755, modified: Self.date)
        try await set(domain, number, "user.color", [7])
        try await set(domain, number, "user.gone", nil)
        try await isSettled(domain)
        let there = try #require(domain.provider.item(of: identifier))
        #expect(there.fileSystemFlags == 7 && there.modified == Self.date)
        #expect(there.extendedAttributes == ["user.kept": [1], "user.color": [7]])
        let here = try domain.row(number)
        #expect(here.givenMode == 0o755 && here.mode == 0o755 && here.localModified == Self.date)
        #expect(here.extendedAttributes == ["user.kept": [1], "user.color": [7]])
        // Attributes are no edits: the contents stay as the provider has them.
        #expect(here.changes.isEmpty)
        #expect(try await domain.status().items.isEmpty)

        domain.provider.update(identifier) { item in
            item.fileSystemFlags = 6
            item.extendedAttributes = ["user.color": [8], "user.gone": [9]]
        }
        domain.engine.signal(container: nil)
        try await eventually { try domain.row(number).mode == 0o644 }
        #expect(try domain.row(number).extendedAttributes == ["user.color": [8], "user.gone": [9]])
    }

    @Test func attributesThatAProviderCannotStoreStayLocal() async throws {
        let domain = try domain()
        let identifier = domain.provider.addFile("file.txt", "text")
        domain.provider.behave { behaviour in
            behaviour.after = { [provider = domain.provider] _ in
                // The provider stores whole seconds.
                provider.update(identifier) { $0.modified = $0.modified?.rounded(.down) }
            }
        }
        let number = try await domain.item("file.txt").number
        try await set(domain, number, mode: 0o640, modified: Self.date)
        try await isSettled(domain)
        #expect(try domain.row(number).mode == 0o640)
        // The provider has no notion of read permission for others.
        #expect(domain.provider.item(of: identifier)?.fileSystemFlags == nil)
        try await set(domain, number, mode: 0o440)
        try await isSettled(domain)
        #expect(domain.provider.item(of: identifier)?.fileSystemFlags == 2)
        #expect(try domain.row(number).mode == 0o440)
    }

    @Test func aProviderWithoutACallForThemIsNotAskedForEach() async throws {
        let domain = try TestDomain()
        for number in 0..<5 { domain.provider.addFile("\(number)", "text") }
        var numbers: [ItemNumber] = []
        for number in 0..<5 { numbers.append(try await domain.item("\(number)").number) }
        for number in numbers { try await set(domain, number, mode: 0o755, modified: Self.date) }
        try await isSettled(domain)
        // At most as many requests are sent as may be in progress at a time.
        let asked = domain.provider.count(.set)
        #expect(asked <= 2)
        for number in numbers { try await set(domain, number, "user.color", [7]) }
        #expect(try await domain.engine.status().metadataCount == 0)
        for _ in 0..<20 { domain.clock.advance(by: 100) }
        #expect(domain.provider.count(.set) == asked)
        for number in numbers {
            let row = try domain.row(number)
            #expect(row.mode == 0o755 && row.localModified == Self.date && row.extendedAttributes.count == 1)
        }
    }

    @Test func theyComeAfterContentsAndOnlyWhereTheseDoNotBringThem() async throws {
        let domain = try domain()
        try await domain.list()
        domain.provider.hold(.create)
        let number = try await domain.make("tool", "#!/bin/sh")
        try await set(domain, number, mode: 0o755, modified: Self.date)
        try await set(domain, number, "user.color", [7])
        for _ in 0..<20 { domain.clock.advance(by: 1) }
        domain.provider.release(.create)
        try await domain.settle()
        try await isSettled(domain)
        let identifier = try #require(domain.provider.identifier(at: "tool"))
        let item = try #require(domain.provider.item(of: identifier))
        #expect(item.modified == Self.date && item.extendedAttributes == ["user.color": [7]])
        #expect(item.fileSystemFlags.map { $0 & 1 } == 1)
        // One request learns whether the provider accepts any, and one sends all that the new file was created
        // without.
        #expect(domain.provider.count(.set) == 2)
    }

    @Test(arguments: [false, true])
    func theySurviveAKill(losesIndex: Bool) async throws {
        let domain = try domain()
        let identifier = domain.provider.addFile("file.txt", "text")
        let number = try await domain.item("file.txt").number
        domain.provider.hold(.set)
        try await set(domain, number, mode: 0o755)
        try domain.restart {
            if losesIndex { try Index.delete(path: domain.configuration.dataFolder + "/index.db") }
        }
        domain.provider.release(.set)
        if losesIndex { _ = try await domain.item("file.txt") }
        try await isSettled(domain)
        // Sent attributes are in the index only.
        #expect(domain.provider.item(of: identifier)?.fileSystemFlags == (losesIndex ? nil : 7))
    }

    @Test func attributesSetDuringAnUploadAreSentToo() async throws {
        let (domain, identifier, number) = try await fileWithDate()
        domain.provider.hold(.set)
        try await set(domain, number, modified: Self.date + 1)
        try await eventuallyLater(domain) { domain.provider.count(.set) == 3 }
        try await set(domain, number, modified: Self.date + 2)
        domain.provider.release(.set)
        try await isSettled(domain)
        #expect(domain.provider.item(of: identifier)?.modified == Self.date + 2)
    }

    /// The provider performs the request and ends before it replies. Meanwhile the user reverts the change.
    @Test(arguments: [false, true])
    func aRemovalAfterALostReplyReachesTheProvider(isStartedAgain: Bool) async throws {
        let domain = try domain()
        let identifier = domain.provider.addFile("tool", "#!/bin/sh")
        let number = try await domain.item("tool").number
        let isLost = Lock(true)
        domain.provider.behave { behaviour in
            behaviour.after = { (request) throws(ProviderError) in
                guard case .set(identifier) = request, isLost.withLock({ $0 }) else { return }
                throw ProviderError(.processEnded, message: "It has died.")
            }
        }
        try await set(domain, number, mode: 0o755)
        try await set(domain, number, "user.color", [7])
        try await eventuallyLater(domain) { domain.provider.item(of: identifier)?.fileSystemFlags == 7 }
        try await set(domain, number, mode: 0o644)
        try await set(domain, number, "user.color", nil)
        if isStartedAgain { try domain.restart() }
        isLost.withLock { $0 = false }
        try await isSettled(domain)
        #expect(domain.provider.item(of: identifier)?.fileSystemFlags == 6)
        #expect(domain.provider.item(of: identifier)?.extendedAttributes == [:])
        #expect(try domain.row(number).extendedAttributes == [:])
    }

    /// A reply that is overtaken by newer changes of the item is stale and is ignored. The engine revalidates the
    /// item instead.
    @Test(arguments: [false, true])
    func anAttributeThatIsRemovedWhileItIsSentStaysRemoved(isOvertaken: Bool) async throws {
        let (domain, identifier, number) = try await fileWithDate()
        domain.provider.hold(.set)
        try await set(domain, number, "user.color", [7])
        try await eventuallyLater(domain) { domain.provider.heldCount(.set) == 1 }
        try await set(domain, number, "user.color", nil)
        if isOvertaken {
            domain.provider.update(identifier) { $0.favoriteRank = 3 }
            domain.engine.signal(container: nil)
            try await eventually { try domain.row(number).item.favoriteRank == 3 }
        }
        domain.provider.release(.set)
        try await isSettled(domain)
        #expect(domain.provider.item(of: identifier)?.extendedAttributes == [:])
        #expect(try domain.row(number).extendedAttributes == [:])
    }

    /// The edit conflicts with a removal at the provider, and the file is created anew there.
    @Test func aFileThatIsMadeAnewHasWhatTheOneBeforeHad() async throws {
        let domain = try domain()
        let identifier = domain.provider.addFile("tool", "#!/bin/sh")
        let number = try await domain.item("tool").number
        try await set(domain, number, mode: 0o755)
        try await set(domain, number, "user.color", [7])
        try await isSettled(domain)
        try await domain.overwrite("tool", "#!/bin/bash")
        domain.provider.remove(identifier)
        domain.engine.signal(container: nil)
        try await domain.settle()
        try await isSettled(domain)
        let made = try #require(domain.provider.identifier(at: "tool"))
        #expect(made != identifier)
        #expect(domain.provider.item(of: made)?.fileSystemFlags.map { $0 & 1 } == 1)
        #expect(domain.provider.item(of: made)?.extendedAttributes == ["user.color": [7]])
    }

    @Test func permissionsThatAFolderLosesAndRegainsAreSent() async throws {
        let domain = try domain()
        let identifier = domain.provider.addFolder("folder")
        let number = try await domain.item("folder").number
        for (mode, permissions) in [(UInt16(0o600), UInt(6)), (0o755, 7), (0o000, 0), (0o444, 2)] {
            try await set(domain, number, mode: mode)
            try await isSettled(domain)
            #expect(domain.provider.item(of: identifier)?.fileSystemFlags == permissions)
        }
    }

    /// An attribute is set while the provider is about to refuse an earlier one.
    @Test func attributesSetDuringARefusalAreSentToo() async throws {
        let (domain, identifier, number) = try await fileWithDate()
        domain.provider.hold(.set)
        domain.provider.fail(.set, with: ProviderError(.cannotSynchronize, message: "Not that."))
        try await set(domain, number, "user.color", [7])
        try await eventuallyLater(domain) { domain.provider.heldCount(.set) == 1 }
        try await set(domain, number, mode: 0o755)
        try await set(domain, number, "user.color", [8])
        domain.provider.release(.set)
        try await isSettled(domain)
        #expect(domain.provider.item(of: identifier)?.fileSystemFlags == 7)
        #expect(domain.provider.item(of: identifier)?.extendedAttributes == ["user.color": [8]])
    }

    @Test func refusedAttributesStayLocal() async throws {
        let (domain, identifier, number) = try await fileWithDate()
        domain.provider.fail(.set, with: ProviderError(.cannotSynchronize, message: "Not that."))
        try await set(domain, number, "user.color", [7])
        try await isSettled(domain)
        #expect(domain.provider.item(of: identifier)?.extendedAttributes == [:])
        #expect(try domain.row(number).extendedAttributes == ["user.color": [7]])
    }

    /// Most editors write a new file and rename it over the old one, which was changed a moment before.
    @Test(arguments: [false, true])
    func aFileThatIsSavedBeforeTheyAreSentLeavesNothingToBeSent(losesIndex: Bool) async throws {
        let domain = try domain()
        let identifier = domain.provider.addFile("tool", "#!/bin/sh")
        let number = try await domain.item("tool").number
        domain.provider.hold(.set)
        try await set(domain, number, mode: 0o755)
        try await set(domain, number, "user.color", [7])
        try await domain.make(".tool", "#!/bin/bash")
        try await domain.rename(".tool", "tool")
        if losesIndex {
            try domain.restart { try Index.delete(path: domain.configuration.dataFolder + "/index.db") }
            _ = try await domain.item("tool")
        }
        domain.provider.release(.set)
        try await domain.settle()
        try await isSettled(domain)
        #expect(domain.provider.identifier(at: "tool") == identifier)
        #expect(domain.provider.text(at: "tool") == "#!/bin/bash")
        #expect(domain.provider.item(of: identifier)?.fileSystemFlags.map { $0 & 1 } != 1)
        #expect(domain.provider.item(of: identifier)?.extendedAttributes == [:])
    }

    /// Some replies have all fields of an item, others only those that the request concerned.
    @Test func aProviderThatSaysNothingOfThemTakesNothingBack() async throws {
        let domain = try domain()
        let identifier = domain.provider.addFile("tool", "#!/bin/sh")
        let number = try await domain.item("tool").number
        try await set(domain, number, mode: 0o755)
        try await set(domain, number, "user.color", [7])
        try await isSettled(domain)
        domain.provider.update(identifier) { item in
            (item.fileSystemFlags, item.extendedAttributes, item.created) = (nil, [:], Self.date)
        }
        domain.engine.signal(container: nil)
        try await eventually { try domain.row(number).item.created == Self.date }
        #expect(try domain.row(number).mode == 0o755)
        #expect(try domain.row(number).extendedAttributes == ["user.color": [7]])
    }

    /// The provider knows only the owner's permissions.
    @Test func permissionsOfOthersStayWhenTheProviderChangesTheOwners() async throws {
        let domain = try domain()
        let identifier = domain.provider.addFile("tool", "#!/bin/sh")
        let number = try await domain.item("tool").number
        try await set(domain, number, mode: 0o750)
        try await isSettled(domain)
        for (flags, mode) in [(UInt(6), UInt16(0o640)), (2, 0o440), (7, 0o750)] {
            domain.provider.update(identifier) { $0.fileSystemFlags = flags }
            domain.engine.signal(container: nil)
            try await eventually { try domain.row(number).mode == mode }
        }
    }

    @Test func otherNewsChangesNoMode() async throws {
        let domain = try domain()
        let identifier = domain.provider.addFile("tool", "#!/bin/sh")
        let number = try await domain.item("tool").number
        // The group has permissions that the owner lacks, which the provider's flags cannot express.
        try await set(domain, number, mode: 0o464)
        try await isSettled(domain)
        domain.provider.update(identifier) { $0.created = Self.date }
        domain.engine.signal(container: nil)
        try await eventually { try domain.row(number).item.created == Self.date }
        #expect(try domain.row(number).mode == 0o464)
    }

    @Test func removedItemsAreNotRequested() async throws {
        let domain = try domain()
        let identifier = domain.provider.addFile("file.txt", "text")
        let number = try await domain.item("file.txt").number
        domain.provider.hold(.set)
        try await set(domain, number, mode: 0o755)
        domain.provider.remove(identifier)
        domain.provider.release(.set)
        try await isSettled(domain)
        #expect(domain.provider.item(of: identifier) == nil)
    }
}

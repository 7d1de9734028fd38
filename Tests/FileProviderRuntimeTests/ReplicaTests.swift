import Conduit
import DomainMessages
import ExtensionHost
import FileProvider
import FileProviderEngine
import FileProviderWire
import Foundation
import ItemValues
import LinuxSystem
import TestThreads
import Testing

/// A replicated extension, in a process of its own.
@Suite(.ownThreads) struct ReplicaTests {
    private static let noProgress: @Sendable (Int64, Int64) -> Void = { _, _ in }

    private func run(
        options: ProviderProcessOptions = .init(
            idleTime: .seconds(600), answerTime: .seconds(300), transferTime: .seconds(600)),
        _ body: (ProviderFixture) async throws -> Void
    ) async throws {
        try await ProviderFixture.with(options: options, principal: "ReplicaPeer", body: body)
    }

    /// Returns the files in transfer to or from the provider.
    private func filesOnTheirWay(_ stage: ProviderFixture) throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            atPath: stage.data + "/containers/" + ProviderFixture.identifier + "/tmp/domain-test")
    }

    // MARK: Lifetime

    @Test func itIsMadeForItsDomainAndToldBeforeItsProcessEnds() async throws {
        let options = ProviderProcessOptions(idleTime: .milliseconds(200), answerTime: .seconds(300))
        try await run(options: options) { stage in
            try stage.put("one")
            #expect(try await stage.provider.item("one").filename == "one.txt")
            #expect(stage.notes.first?.hasSuffix(" test true") == true)
            #expect(await stage.eventually { stage.notes.contains("invalidate") })
            #expect(await stage.eventually { await stage.provider.processID == nil })
        }
    }

    @Test func itsFoldersAreListedAndItsRootIsThereWhateverItSays() async throws {
        try await run { stage in
            try stage.put("one")
            let page = try await stage.provider.page(of: "root", after: nil, suggestedSize: 10)
            #expect(page.items.map(\.filename) == ["one.txt"])
            #expect(try await stage.provider.item(ProviderItem.rootIdentifier).filename == "Test")
            let trash = await stage.failure {
                _ = try await stage.provider.page(
                    of: ProviderItem.trashIdentifier, after: nil, suggestedSize: 10)
            }
            #expect(trash?.kind == .unsupported)
            #expect(stage.notes.contains("enumerator root true"))
        }
    }

    @Test func itsOwnStateOutlivesTheProcessAndNotTheDomain() async throws {
        try await run { stage in
            let state = try await stage.provider.item("state").filename
            #expect(state.hasPrefix(stage.data + "/containers/" + ProviderFixture.identifier + "/"))
            try Data().write(to: URL(fileURLWithPath: state + "/kept"))
            kill(try #require(await stage.provider.processID), SIGKILL)
            #expect(await stage.eventually { await stage.provider.processID == nil })
            #expect(try await stage.provider.item("state").filename == state)
            #expect(FileManager.default.fileExists(atPath: state + "/kept"))
            await stage.provider.close()
            try ProviderDomain(identifier: "test", displayName: "Test")
                .removeDocuments(of: ProviderFixture.identifier, data: stage.data)
            #expect(!FileManager.default.fileExists(atPath: state))
        }
    }

    // MARK: Contents

    @Test func aFileThatItHandsOverIsTheSystems() async throws {
        try await run { stage in
            try stage.put("one", "hello")
            let contents = try await stage.provider.contents(of: "one", progress: Self.noProgress)
            #expect(contents.item.contentVersion == [49])
            #expect(try contents.descriptor.text() == "hello")
            #expect(throws: Errno.self) { try Array("x".utf8).withUnsafeBytes { try contents.descriptor.writeAll($0) } }
            #expect(try filesOnTheirWay(stage).isEmpty)
            // Only the provider can say which version the contents have.
            try stage.put("without-item", "hello")
            let failure = await stage.failure {
                _ = try await stage.provider.contents(of: "without-item", progress: Self.noProgress)
            }
            #expect(failure?.kind == .badAnswer)
            #expect(try filesOnTheirWay(stage).isEmpty)
        }
    }

    @Test func aFileIsFetchedAsTheDifferenceToACopyOfWhatIsLocal() async throws {
        try await run { stage in
            try stage.put("one", " and new")
            #expect(try await stage.provider.usesExistingContents())
            let existing = try FileDescriptor.memory("old")
            let contents = try await stage.provider.contents(
                of: "one", using: ExistingContents(descriptor: existing, version: [55]), progress: Self.noProgress)
            #expect(stage.notes.contains("difference one 7"))
            #expect(contents.item.contentVersion == [49])
            #expect(try contents.descriptor.text() == "old and new")
            #expect(try existing.text() == "old")
            #expect(try filesOnTheirWay(stage).isEmpty)
            try stage.put("without-history", "new")
            let failure = await stage.failure {
                _ = try await stage.provider.contents(
                    of: "without-history", using: ExistingContents(descriptor: existing, version: [55]),
                    progress: Self.noProgress)
            }
            #expect(failure?.kind == .expired)
            #expect(try filesOnTheirWay(stage).isEmpty)
        }
    }

    @Test func anExtensionWithFilesOfItsOwnFetchesNoDifferences() async throws {
        try await ProviderFixture.with { stage in
            try stage.put("one", "new")
            #expect(try await !stage.provider.usesExistingContents())
        }
    }

    @Test func aFileThatIsNotInItsContainerStays() async throws {
        try await run { stage in
            try stage.put("somebodys-own", "mine")
            let contents = try await stage.provider.contents(of: "somebodys-own", progress: Self.noProgress)
            #expect(try contents.descriptor.text() == "mine")
            #expect(FileManager.default.fileExists(atPath: stage.folder + "/somebodys own file"))
        }
    }

    @Test(arguments: ["handed-folder", "handed-pipe", "handed-nothing"])
    func aReplyWithoutAFileIsInvalid(_ identifier: String) async throws {
        try await run { stage in
            try stage.put(identifier)
            let failure = await stage.failure {
                _ = try await stage.provider.contents(of: identifier, progress: Self.noProgress)
            }
            #expect(failure?.kind == .badAnswer)
        }
    }

    @Test func fetchesWithoutAWaiterAreCancelledAndTheirFilesRemoved() async throws {
        try await run { stage in
            try stage.put("late", "hello")
            let task = Task {
                await stage.failure {
                    _ = try await stage.provider.contents(of: "late", progress: Self.noProgress)
                }
            }
            #expect(await stage.eventually { stage.notes.contains("fetch late") })
            task.cancel()
            #expect(await task.value?.kind == .cancelled)
            // The file is taken before the handler returns.
            #expect(await stage.eventually { stage.notes.contains("handed late false") })
            #expect(try filesOnTheirWay(stage).isEmpty)
        }
    }

    @Test func aQuestionThatIsNotAnsweredIsOverInTime() async throws {
        try await run(options: ProviderProcessOptions(answerTime: .seconds(10))) { stage in
            let failure = await stage.failure { _ = try await stage.provider.item("never") }
            #expect(failure?.kind == .transient)
            #expect(await stage.eventually { stage.notes.contains("cancelled never") })
        }
    }

    // MARK: New items

    @Test func newItemsAreMadeOfTemplatesThatAreCalledTheSameEachTime() async throws {
        try await run { stage in
            let new = NewItem(
                parent: "root", filename: "a.txt", kind: .file, modified: 5, template: "purvey-local:1")
            let made = try await stage.provider.create(new, contents: try .memory("contents"))
            #expect(made.filename == "a.txt" && made.parent == "root" && made.size == 8)
            let fields: NSFileProviderItemFields = [
                .filename, .parentItemIdentifier, .contentModificationDate, .contents, .fileSystemFlags,
            ]
            #expect(stage.notes.contains("create purvey-local:1 \(fields.rawValue) public.plain-text"))
            let text = try await stage.provider.contents(of: made.identifier, progress: Self.noProgress)
            #expect(try text.descriptor.text() == "contents")
            let failure = await stage.failure { _ = try await stage.provider.create(new, contents: try .memory("x")) }
            #expect(failure?.kind == .filenameCollision && failure?.collidingItem == made.identifier)
            let folder = try await stage.provider.create(
                NewItem(parent: "root", filename: "folder", kind: .folder, modified: 0), contents: nil)
            #expect(folder.kind == .folder)
            let link = try await stage.provider.create(
                NewItem(
                    parent: "root", filename: "link", kind: .symbolicLink, linkTarget: "a.txt", modified: 0,
                    template: "purvey-local:2"), contents: nil)
            #expect(link.kind == .symbolicLink && link.linkTarget == "a.txt")
            let ofLink: NSFileProviderItemFields = [
                .filename, .parentItemIdentifier, .contentModificationDate, .contents,
            ]
            #expect(stage.notes.contains("create purvey-local:2 \(ofLink.rawValue) public.symlink"))
            #expect(try filesOnTheirWay(stage).isEmpty)
        }
    }

    @Test(arguments: ["ReplicaPeer", "ReadingPeer"])
    func onlyAProviderThatDoesMoreThanReadItGetsACopyOfNewContents(_ principal: String) async throws {
        try await ProviderFixture.with(principal: principal) { stage in
            let new = NewItem(parent: "root", filename: "a.txt", kind: .file, modified: 5, template: "purvey-local:1")
            let made = try await stage.provider.create(new, contents: try .memory("contents"))
            #expect(made.size == 8)
            #expect(stage.notes.contains("handed a.txt, a file at its path: \(principal == "ReplicaPeer")"))
            let changed = try await stage.provider.replaceContents(
                of: made.identifier, with: try .memory("new contents"), base: made.contentVersion, modified: 0)
            #expect(changed.size == 12)
            let text = try await stage.provider.contents(of: made.identifier, progress: Self.noProgress)
            #expect(try text.descriptor.text() == "new contents")
            #expect(try filesOnTheirWay(stage).isEmpty)
        }
    }

    @Test func anImportedItemMayAlreadyExistAndTheEndIsReported() async throws {
        try await run { stage in
            let new = NewItem(
                parent: "root", filename: "a.txt", kind: .file, modified: 5, template: "purvey-local:1",
                mayAlreadyExist: true)
            _ = try await stage.provider.create(new, contents: try .memory("contents"))
            #expect(stage.notes.contains("create a.txt that may already exist"))
            try await stage.provider.importDidFinish()
            #expect(stage.notes.contains("imported"))
        }
    }

    @Test func aProviderMayTakeAnItemOtherwiseThanItWasHanded() async throws {
        try await run { stage in
            func create(_ name: String) async throws -> ProviderItem {
                try await stage.provider.create(
                    NewItem(parent: "root", filename: name, kind: .file, modified: 0), contents: try .memory("text"))
            }
            let made = try await [create("renamed"), create("without contents"), create("translated")]
            #expect(made[0].filename == "renamed 2")
            #expect(made[1].flags.contains(.lacksContents) && made[2].flags.contains(.hasOtherContents))
            for name in ["dropped", "excluded"] {
                let failure = await stage.failure { _ = try await create(name) }
                #expect(failure?.kind == .cannotSynchronize, "\(name)")
            }
        }
    }

    // MARK: Changes

    @Test func newContentsAreAChangeOfTheVersionThatTheyBeganWith() async throws {
        try await run { stage in
            try stage.put("one", "old")
            let item = try await stage.provider.replaceContents(
                of: "one", with: try .memory("new contents"), base: [49], modified: 0)
            #expect(item.contentVersion == [50] && item.size == 12)
            let fields: NSFileProviderItemFields = [.contents, .contentModificationDate]
            #expect(stage.notes.contains("modify one \(fields.rawValue) 1 0"))
            // The version at the provider is 2 now.
            let outdated = await stage.failure {
                _ = try await stage.provider.replaceContents(
                    of: "one", with: try .memory("newer"), base: [49], modified: 0)
            }
            #expect(outdated?.kind == .transient)
            let gone = await stage.failure {
                _ = try await stage.provider.replaceContents(
                    of: "gone", with: try .memory("new"), base: [], modified: 0)
            }
            #expect(gone?.kind == .noSuchItem)
            #expect(stage.notes.filter { $0.hasPrefix("modify") }.count == 1)
            #expect(try filesOnTheirWay(stage).isEmpty)
        }
    }

    @Test(arguments: [
        ("gone-when-changed", ProviderError.Kind.noSuchItem), ("takes-nothing", .transient),
        ("conflicting", .transient), ("killed-when-changed", .processEnded),
    ])
    func contentsThatAreNotTakenStayWithTheEngine(_ identifier: String, _ kind: ProviderError.Kind) async throws {
        try await run { stage in
            try stage.put(identifier, "old")
            let failure = await stage.failure {
                _ = try await stage.provider.replaceContents(
                    of: identifier, with: try .memory("new"), base: [49], modified: 0)
            }
            #expect(failure?.kind == kind)
            try stage.put("translated", "old")
            let translated = try await stage.provider.replaceContents(
                of: "translated", with: try .memory("new"), base: [49], modified: 0)
            #expect(translated.flags.contains(.hasOtherContents))
        }
    }

    @Test func aNameOfAnotherNormalFormIsAnotherName() async throws {
        try await run { stage in
            try stage.put("one")
            for name in ["\u{E9}", "e\u{301}"] {
                let moved = try await stage.provider.move("one", to: "root", named: name)
                #expect(moved.filename.hasSameBytes(as: name))
            }
        }
    }

    @Test func itemsAreRenamedMovedAndRemovedAndARepeatedStepDoesNothing() async throws {
        try await run { stage in
            try stage.put("one")
            let (name, parent) = (NSFileProviderItemFields.filename, NSFileProviderItemFields.parentItemIdentifier)
            #expect(try await stage.provider.move("one", to: "root", named: "two").filename == "two")
            #expect(try await stage.provider.move("one", to: "other", named: "two").parent == "other")
            #expect(try await stage.provider.move("one", to: "root", named: "three").filename == "three")
            #expect(try await stage.provider.move("one", to: "root", named: "three").filename == "three")
            #expect(
                stage.notes.filter { $0.hasPrefix("modify") } == [
                    "modify one \(name.rawValue) 1 0", "modify one \(parent.rawValue) 1 0",
                    "modify one \(name.union(parent).rawValue) 1 0",
                ])
            try await stage.provider.delete("one")
            try await stage.provider.delete("one")
            #expect(stage.notes.filter { $0.hasPrefix("delete") } == ["delete one 1 0"])
            let failure = await stage.failure { _ = try await stage.provider.item("one") }
            #expect(failure?.kind == .noSuchItem)
        }
    }

    @Test func aFolderIsRemovedWithWhatIsInItFromTheTrashOnly() async throws {
        try await run { stage in
            let folder = try await stage.provider.create(
                NewItem(parent: "root", filename: "folder", kind: .folder, modified: 0), contents: nil)
            try stage.put("inside", "", in: folder.identifier)
            let failure = await stage.failure { try await stage.provider.delete(folder.identifier) }
            #expect(failure?.kind == .directoryNotEmpty)
            let trashed = try await stage.provider.trash(folder.identifier)
            #expect(trashed.flags.contains(.trashed))
            #expect(try await stage.provider.item(folder.identifier).flags.contains(.trashed))
            let back = try await stage.provider.untrash(folder.identifier, to: "root")
            #expect(!back.flags.contains(.trashed) && back.parent == "root")
            _ = try await stage.provider.trash(folder.identifier)
            try await stage.provider.delete(folder.identifier)
            #expect(await stage.failure { _ = try await stage.provider.item(folder.identifier) }?.kind == .noSuchItem)
        }
    }

    @Test func tagsAreAFieldThatItMayLeave() async throws {
        try await run { stage in
            try stage.put("one")
            #expect(try await stage.provider.set(.tagData([1, 2]), of: "one").tagData == [1, 2])
            #expect(try await stage.provider.item("one").tagData == [1, 2])
            try stage.put("takes-nothing")
            let failure = await stage.failure { _ = try await stage.provider.set(.tagData([1]), of: "takes-nothing") }
            #expect(failure?.kind == .unsupported)
        }
    }

    @Test func attributesAreFieldsOfOneChange() async throws {
        try await run { stage in
            try stage.put("one")
            var attributes = ItemAttributes()
            let same = try await stage.provider.set(.attributes(attributes), of: "one")
            #expect(same.identifier == "one" && !stage.notes.contains { $0.hasPrefix("modify") })
            (attributes.modified, attributes.permissions) = (1_234_567_890.25, 7)
            attributes.changed = ["user.color": [1, 2]]
            let answer = try await stage.provider.set(.attributes(attributes), of: "one")
            #expect(answer.modified == 1_234_567_890.25 && answer.fileSystemFlags == 7)
            #expect(answer.extendedAttributes == ["color": [1, 2]])
            let fields: NSFileProviderItemFields = [.contentModificationDate, .fileSystemFlags, .extendedAttributes]
            #expect(stage.notes.filter { $0.hasPrefix("modify one \(fields.rawValue) ") }.count == 1)
            // Attributes that other clients set meanwhile remain, regardless of their names.
            attributes = ItemAttributes()
            attributes.changed = ["user.user.full": [3]]
            _ = try await stage.provider.set(.attributes(attributes), of: "one")
            attributes.changed = ["user.second": [4]]
            attributes.removed = ["user.color", "user.none"]
            let last = try await stage.provider.set(.attributes(attributes), of: "one")
            #expect(last.extendedAttributes == ["user.user.full": [3], "second": [4]])
            // Attributes that the provider does not take remain set locally. It is called for them nevertheless.
            try stage.put("takes-nothing")
            _ = try await stage.provider.set(.attributes(attributes), of: "takes-nothing")
        }
    }

    // MARK: Item sets

    @Test func itIsToldOnceOfEachChangeInTheSetsOfItsItems() async throws {
        let asked = Lock<Set<ItemSet>>([])
        let waiting = Lock<[ServedCall<ManagerSetVersionCall>]>([])
        try await ProviderFixture.with(
            principal: "ReplicaPeer",
            addCalls: { service in
                service.on(ManagerSetVersionCall.self) { request, call in
                    switch (request.known, asked.withLock { $0.insert(request.set).inserted }) {
                    // The domain is not running yet.
                    case (nil, true):
                        let failure = NSFileProviderError(.providerDomainTemporarilyUnavailable)
                        call.reply(.failed(ProviderError(failure)))
                    case (nil, false): call.reply(.done(ItemSetVersion(version: 1)))
                    case (1, _): call.reply(.done(ItemSetVersion(version: 2)))
                    // There are no further changes.
                    default: waiting.withLock { $0.append(call) }
                    }
                }
            }
        ) { stage in
            try stage.put("one")
            #expect(try await stage.provider.item("one").filename == "one.txt")
            #expect(await stage.eventually { stage.notes.contains("materialized") && stage.notes.contains("pending") })
            for note in ["materialized", "pending"] { #expect(stage.notes.count { $0 == note } == 1) }
        }
    }

    // MARK: Optional protocols

    @Test func servicesAndThumbnailsAreAskedForByTheirProtocols() async throws {
        try await run { stage in
            try stage.put("one")
            #expect(try await stage.provider.services(of: "one", isOwn: false) == ["org.example.all"])
            #expect(
                try await stage.provider.services(of: "one", isOwn: true) == ["org.example.all", "org.example.own"])
            let thumbnails = try await stage.provider.thumbnails(of: ["one"], side: 100)
            #expect(try thumbnails.first?.picture?.text() == "picture")
            let action = await stage.failure {
                _ = try await stage.provider.perform(
                    "org.example", on: ["one"], input: nil, progress: Self.noProgress)
            }
            #expect(action?.kind == .unsupported)
        }
    }

    @Test(arguments: [("gone", ProviderError.Kind.expired), ("pipe", .badAnswer)])
    func aPartThatCannotBeUsedIsToldAsSuch(_ identifier: String, _ kind: ProviderError.Kind) async throws {
        try await run { stage in
            try stage.put(identifier, "contents")
            let failure = await stage.failure {
                _ = try await stage.provider.part(
                    PartRequest(
                        identifier: identifier, version: [49], metadataVersion: [], range: 2..<5, alignment: 4096))
            }
            #expect(failure?.kind == kind)
        }
    }

    // MARK: An existing extension

    @Test func anExtensionThatWasWrittenForAnotherSystemRuns() async throws {
        try await ProviderFixture.with(principal: "FileProviderExtension") { stage in
            let provider = stage.provider
            #expect(try await provider.servesParts() == false)
            let root = try await provider.item(ProviderItem.rootIdentifier)
            #expect(root.filename == "Notes" && root.kind == .folder)
            let anchor = try #require(try await provider.currentAnchor(of: ProviderItem.workingSetIdentifier))
            let page = try await provider.page(of: ProviderItem.rootIdentifier, after: nil, suggestedSize: 10)
            #expect(page.items.map(\.filename) == ["Welcome.txt"])
            let welcome = try await provider.contents(of: "welcome", progress: Self.noProgress)
            #expect(try welcome.descriptor.text() == "Hello")
            #expect(welcome.item.contentVersion == page.items.first?.contentVersion)

            let new = NewItem(parent: ProviderItem.rootIdentifier, filename: "New.txt", kind: .file, modified: 0)
            let made = try await provider.create(new, contents: try .memory("new"))
            let taken = await stage.failure { _ = try await provider.create(new, contents: try .memory("new")) }
            #expect(taken?.kind == .filenameCollision && taken?.collidingItem == made.identifier)
            let changed = try await provider.replaceContents(
                of: made.identifier, with: try .memory("newer"), base: made.contentVersion, modified: 0)
            #expect(changed.size == 5 && changed.contentVersion != made.contentVersion)
            let renamed = try await provider.move(
                made.identifier, to: ProviderItem.rootIdentifier, named: "Other.txt")
            #expect(renamed.filename == "Other.txt")
            let tagged = await stage.failure { _ = try await provider.set(.tagData([1]), of: made.identifier) }
            #expect(tagged?.kind == .unsupported)
            try await provider.delete("welcome")
            let changes = try await provider.changes(
                in: ProviderItem.workingSetIdentifier, since: anchor, suggestedSize: 10)
            #expect(changes.updated.map(\.filename) == ["Other.txt"] && changes.deleted == ["welcome"])
            let folder = await stage.failure {
                _ = try await provider.create(
                    NewItem(parent: ProviderItem.rootIdentifier, filename: "Folder", kind: .folder, modified: 0),
                    contents: nil)
            }
            #expect(folder?.kind == .unsupported)
        }
    }
}

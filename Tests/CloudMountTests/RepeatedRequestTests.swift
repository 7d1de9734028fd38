import CloudMount
import Fuse
import Glibc
import LinuxSystem
import MountTakeover
import ProviderTesting
import TestThreads
import Testing

/// Tests of requests that the kernel sends again, because the process that read them died before its reply. Such a
/// request was either performed or not.
@Suite(.ownThreads) struct RepeatedRequestTests {
    private typealias Domain = DispatchedDomain

    /// Expects that a request which is repeated after it was performed gets the same reply. As a new request it
    /// fails.
    private func expectSame(
        _ domain: Domain, _ opcode: Opcode, in node: UInt64 = 1, _ body: [UInt8], otherwise error: Int32,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let question = domain.question(opcode, in: node, body)
        let first = try domain.ask(question)
        #expect(first.error == 0, sourceLocation: location)
        #expect(try domain.ask(opcode, in: node, body).error == -error, sourceLocation: location)
        let second = try domain.ask(question, again: true)
        #expect(second.error == 0, sourceLocation: location)
        #expect(second.number() == first.number(), sourceLocation: location)
    }

    /// Expects that a repeated request that was not performed before is performed.
    private func expectDone(
        _ domain: Domain, _ opcode: Opcode, in node: UInt64 = 1, _ body: [UInt8],
        at location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(
            try domain.ask(domain.question(opcode, in: node, body), again: true).error == 0, sourceLocation: location)
    }

    @Test func aRepeatedCreationMakesNoSecondItem() throws {
        let domain = try Domain()
        let folder = Domain.folder("Folder")
        try expectSame(domain, .makeDirectory, folder, otherwise: EEXIST)
        try expectSame(domain, .makeNode, Domain.file("File"), otherwise: EEXIST)
        let link = Domain.name("Link") + Domain.name("Target")
        try expectSame(domain, .symbolicLink, link, otherwise: EEXIST)
        // An item of another kind with the name makes the request fail.
        for (opcode, body) in [
            (Opcode.makeDirectory, Domain.folder("File")), (Opcode.makeNode, Domain.file("Folder")),
            (Opcode.symbolicLink, Domain.name("Link") + Domain.name("Elsewhere")),
        ] {
            #expect(try domain.ask(domain.question(opcode, body), again: true).error == -EEXIST)
        }
        try expectDone(domain, .makeDirectory, Domain.folder("Folder 2"))
        try expectDone(domain, .makeNode, Domain.file("File 2"))
        try expectDone(domain, .symbolicLink, Domain.name("Link 2") + Domain.name("Target"))
        for name in ["Folder 2", "File 2", "Link 2"] { #expect(try domain.node(name) != 0) }
    }

    @Test func aRepeatedRemovalRemovesOnce() throws {
        let domain = try Domain()
        for number in 1...2 {
            #expect(try domain.ask(.makeNode, Domain.file("File \(number)")).error == 0)
            #expect(try domain.ask(.makeDirectory, Domain.folder("Folder \(number)")).error == 0)
        }
        try expectSame(domain, .unlink, Domain.name("File 1"), otherwise: ENOENT)
        try expectSame(domain, .removeDirectory, Domain.name("Folder 1"), otherwise: ENOENT)
        try expectDone(domain, .unlink, Domain.name("File 2"))
        try expectDone(domain, .removeDirectory, Domain.name("Folder 2"))
        #expect(try domain.node("File 2") == 0 && domain.node("Folder 2") == 0)
    }

    @Test func repeatedRenamesAndExchangesAreNotUndone() throws {
        let domain = try Domain()
        for name in ["One", "Two", "Three"] { #expect(try domain.ask(.makeNode, Domain.file(name)).error == 0) }
        let (one, two) = (try domain.node("One"), try domain.node("Two"))
        try expectSame(domain, .rename2, Domain.renaming("Three", to: "Four", .noReplace), otherwise: ENOENT)
        try expectDone(domain, .rename2, Domain.renaming("Four", to: "Five"))
        #expect(
            try domain.ask(domain.question(.rename2, Domain.renaming("No", to: "Nor")), again: true).error == -ENOENT)

        let exchange = domain.question(.rename2, Domain.renaming("One", to: "Two", .exchange))
        #expect(try domain.ask(exchange).error == 0)
        #expect(try domain.ask(exchange, again: true).error == -EIO)
        #expect(try domain.node("One") == two && domain.node("Two") == one)
    }

    private static let appendFlags = O_RDWR | O_APPEND

    private static func appending(_ text: String, _ handle: UInt64, at end: Int) -> [UInt8] {
        Domain.writing(text, handle, at: end, flags: appendFlags)
    }

    /// Creates a domain with a file that is open for appending and has a line of four bytes.
    private func withFileToAppendTo() throws -> (Domain, node: UInt64, handle: UInt64) {
        let domain = try Domain()
        let made = try domain.ask(.create, Domain.making("File", flags: Self.appendFlags))
        let (node, handle) = (made.number(), made.number(at: Domain.handlePlace))
        #expect(try domain.ask(.write, in: node, Self.appending("one\n", handle, at: 0)).count == 4)
        return (domain, node, handle)
    }

    @Test func aRepeatedAppendAppendsOnce() throws {
        let (domain, node, handle) = try withFileToAppendTo()
        func appending(_ text: String, at end: Int) -> [UInt8] { Self.appending(text, handle, at: end) }
        let second = domain.question(.write, in: node, appending("two\n", at: 4))
        #expect(try domain.ask(second).count == 4)
        try domain.takeOver()
        #expect(try domain.ask(second, again: true).count == 4)
        #expect(try domain.text(node, handle) == "one\ntwo\n")
        // A request that was not performed is performed, though the file ends in the same text.
        let third = domain.question(.write, in: node, appending("two\n", at: 8))
        #expect(try domain.ask(third, again: true).count == 4)
        #expect(try domain.text(node, handle) == "one\ntwo\ntwo\n")
        // A write at a fixed offset may be repeated.
        let other = try domain.ask(.create, Domain.making("Other"))
        let place = Domain.writing("one\n", other.number(at: Domain.handlePlace), at: 2)
        let fourth = domain.question(.write, in: other.number(), place)
        #expect(try domain.ask(fourth).count == 4)
        #expect(try domain.ask(fourth, again: true).count == 4)
        #expect(try domain.text(other.number(), other.number(at: Domain.handlePlace)) == "\0\0one\n")
    }

    /// A process that is killed while it writes may have written a part.
    @Test func aPartialAppendIsCompleted() throws {
        let (domain, node, handle) = try withFileToAppendTo()
        func appending(_ text: String, at end: Int) -> [UInt8] { Self.appending(text, handle, at: end) }
        let second = domain.question(.write, in: node, appending("second\n", at: 4))
        #expect(try domain.ask(.write, in: node, appending("sec", at: 4)).count == 3)
        try domain.takeOver()
        #expect(try domain.ask(second, again: true).count == 7)
        #expect(try domain.text(node, handle) == "one\nsecond\n")
        // Other data at the end stay.
        let third = domain.question(.write, in: node, appending("third\n", at: 11))
        #expect(try domain.ask(.write, in: node, appending("than\n", at: 11)).count == 5)
        #expect(try domain.ask(third, again: true).count == 6)
        #expect(try domain.text(node, handle) == "one\nsecond\nthan\nthird\n")
        // A write that does not append is performed whole at its offset.
        let fourth = domain.question(.write, in: node, Domain.writing("1st\n", handle, at: 0))
        #expect(try domain.ask(fourth, again: true).count == 4)
        #expect(try domain.text(node, handle) == "1st\nsecond\nthan\nthird\n")
    }

    @Test func operationsThatShiftBytesAreNotRepeated() throws {
        let domain = try Domain()
        let made = try domain.ask(.create, Domain.making("File"))
        let (node, handle) = (made.number(), made.number(at: Domain.handlePlace))
        #expect(try domain.ask(.write, in: node, Domain.writing("bytes", handle, at: 0)).count == 5)
        for flags in [AllocationFlags.collapseRange, .insertRange] {
            let body = Domain.allocating(flags, handle, at: 0, length: 4096)
            #expect(try domain.ask(domain.question(.allocate, in: node, body), again: true).error == -EIO)
        }
        #expect(try domain.text(node, handle) == "bytes")
        try expectDone(domain, .allocate, in: node, Domain.allocating([], handle, at: 0, length: 7))
        #expect(try domain.text(node, handle) == "bytes\0\0")
    }

    @Test func anOpeningWhoseAnswerWasLostIsHadAgain() throws {
        let domain = try Domain { $0.addFile("Old", "old") }
        let node = try domain.node("Old")
        let opening = domain.question(.open, in: node, Domain.opening())
        let handle = try domain.ask(opening).number()
        let making = domain.question(.create, Domain.making("New", flags: O_RDWR | O_EXCL))
        let made = try domain.ask(making)
        #expect(try domain.text(node, handle) == "old")
        #expect(domain.sharedTable.entries.count == 2)
        try domain.takeOver()
        #expect(try domain.ask(opening, again: true).number() == handle)
        let again = try domain.ask(making, again: true)
        #expect(again.error == 0 && again.number() == made.number())
        #expect(again.number(at: Domain.handlePlace) == made.number(at: Domain.handlePlace))
        #expect(domain.sharedTable.entries.count == 2)
        #expect(try domain.text(node, handle) == "old")

        // An open that was not performed, and a create of a file that exists and was not opened.
        let other = domain.question(.open, in: node, Domain.opening(O_RDONLY))
        #expect(try ![0, handle].contains(domain.ask(other, again: true).number()))
        #expect(try domain.ask(.makeNode, Domain.file("Third")).error == 0)
        let third = Domain.making("Third", flags: O_RDWR | O_EXCL)
        #expect(try domain.ask(.create, third).error == -EEXIST)
        #expect(try domain.ask(domain.question(.create, third), again: true).number(at: Domain.handlePlace) != 0)
        #expect(domain.sharedTable.entries.count == 4)
    }

    @Test func anAttributeIsSetAndRemovedOnce() throws {
        let domain = try Domain { $0.addFile("File", "text") }
        let node = try domain.node("File")
        let create: Int32 = 1
        let replace: Int32 = 2
        let body = Domain.attribute("user.one", "1", flags: create)
        try expectSame(domain, .setExtendedAttribute, in: node, body, otherwise: EEXIST)
        // One attribute exists with another value, and the other does not exist to be replaced.
        for (name, flags, error) in [("user.one", create, EEXIST), ("user.two", replace, ENODATA)] {
            let body = Domain.attribute(name, "2", flags: flags)
            let question = domain.question(.setExtendedAttribute, in: node, body)
            #expect(try domain.ask(question, again: true).error == -error)
        }
        try expectDone(domain, .setExtendedAttribute, in: node, Domain.attribute("user.one", "3", flags: replace))
        #expect(try domain.attribute("user.one", of: node) == "3")
        try expectSame(domain, .removeExtendedAttribute, in: node, Domain.name("user.one"), otherwise: ENODATA)
        #expect(try domain.attribute("user.one", of: node) == nil)
    }

    @Test func aFileThatWasOpenAndRemovedHasToBeOpenedAgainAfterATakeover() throws {
        let domain = try Domain()
        let made = try domain.ask(.create, Domain.making("File"))
        let (node, handle) = (made.number(), made.number(at: Domain.handlePlace))
        let write = Domain.writing("text", handle, at: 0)
        #expect(try domain.ask(.write, in: node, write).count == 4)
        #expect(try domain.ask(.unlink, Domain.name("File")).error == 0)
        #expect(try domain.text(node, handle) == "text")
        try domain.takeOver()
        let bodies: [(Opcode, [UInt8])] = [
            (.read, Domain.reading(handle)), (.write, write),
            (.fsync, Domain.synchronizing(handle)),
            (.allocate, Domain.allocating([], handle, at: 0, length: 1)),
        ]
        for (opcode, body) in bodies { #expect(try domain.ask(opcode, in: node, body).error == -ESTALE, "\(opcode)") }
        #expect(try !domain.knows(node))
        #expect(try domain.ask(.release, in: node, Domain.closing(handle)).error == 0)
        #expect(domain.sharedTable.entries.isEmpty)
    }

    @Test func aFileThatWasRemovedWhileItWasReadGoesOnAfterATakeover() throws {
        let domain = try Domain { $0.addFile("File", "old") }
        let node = try domain.node("File")
        let handle = try domain.ask(.open, in: node, Domain.opening(O_RDONLY)).number()
        #expect(try domain.text(node, handle) == "old")
        #expect(try domain.ask(.unlink, Domain.name("File")).error == 0)
        for _ in 0..<2 {
            try domain.takeOver()
            #expect(try domain.text(node, handle) == "old")
            #expect(try domain.knows(node) && domain.node("File") == 0)
        }
        #expect(try domain.ask(.release, in: node, Domain.closing(handle)).error == 0)
        #expect(domain.sharedTable.entries.isEmpty)
        #expect(try !domain.knows(node))
    }

    @Test func aFileThatWasReplacedWhileItWasReadGoesOnAfterATakeover() throws {
        let domain = try Domain { $0.addFile("File", "old", identifier: "file") }
        let node = try domain.node("File")
        let handle = try domain.ask(.open, in: node, Domain.opening(O_RDONLY)).number()
        #expect(try domain.text(node, handle) == "old")
        domain.provider.write("new", to: "file")
        domain.signal()
        var other = node
        for _ in 0..<24_000 where other == node {
            usleep(5000)
            other = try domain.node("File")
        }
        #expect(other != node && other != 0)
        for isLater in [false, true] {
            if isLater { try domain.takeOver() }
            #expect(try domain.text(node, handle) == "old")
            #expect(try domain.knows(node))
            // The kernel may have resolved the name before the replacement, so that the first open fails and a second
            // one succeeds.
            #expect(try domain.ask(.open, in: node, Domain.opening(O_RDONLY)).error == -ESTALE)
            var again = try domain.ask(.open, in: node, Domain.opening(O_RDONLY))
            // The kernel opens again at once. On a busy machine seconds can pass here, after which an open is a first
            // one.
            for _ in 0..<20 where again.error == -ESTALE {
                again = try domain.ask(.open, in: node, Domain.opening(O_RDONLY))
            }
            #expect(try again.error == 0 && domain.text(node, again.number()) == "old")
            #expect(try domain.ask(.open, in: node, Domain.opening(O_RDWR)).error == -ESTALE)
            let opened = try domain.ask(.open, in: other, Domain.opening()).number()
            #expect(try domain.text(other, opened) == "new")
            for (node, handle) in [(node, again.number()), (other, opened)] {
                #expect(try domain.ask(.release, in: node, Domain.closing(handle)).error == 0)
            }
        }
        #expect(try domain.node("File") == other)
        #expect(try domain.ask(.release, in: node, Domain.closing(handle)).error == 0)
        #expect(domain.sharedTable.entries.isEmpty)
        #expect(try !domain.knows(node))
    }

    @Test func backingFilesThatNoHandleUsesAreReleasedOnce() throws {
        /// A registrar that records the backing files that are closed.
        final class Registrar: BackingRegistrar {
            let made = Lock<[Int32]>([])
            let closed = Lock<[Int32]>([])
            func open(_ file: FileDescriptor) throws(Errno) -> Int32 { throw .notSupported }
            func close(_ identifier: Int32) { closed.withLock { $0.append(identifier) } }
        }
        let domain = try Domain()
        let made = try domain.ask(.create, Domain.making("File"))
        let (node, handle) = (made.number(), made.number(at: Domain.handlePlace))
        #expect(try domain.ask(.release, in: node, Domain.closing(handle)).error == 0)
        // Two handles of an item that is gone, two of one that exists, and one without a backing file.
        for (handle, item, backing): (UInt64, UInt64, Int32) in [
            (1, 1 << 40, 5), (2, 1 << 40, 5), (3, node, 6), (4, node, 6), (5, 1 << 41, 0),
        ] {
            domain.sharedTable.add(
                SharedHandleTable.Entry(
                    handle: handle, item: Int64(item), file: 0, request: handle, flags: [], backing: backing,
                    modifiedBefore: nil))
        }
        let registrar = Registrar()
        try domain.takeOver { number in
            registrar.made.withLock { $0.append(number) }
            return BackingFile(number, registrar)
        }
        #expect(registrar.made.withLock { $0 }.sorted() == [5, 6])
        #expect(registrar.closed.withLock { $0 } == [5])
        #expect(domain.sharedTable.entries.map(\.handle).sorted() == [3, 4])
        for handle: UInt64 in [3, 4] {
            #expect(registrar.closed.withLock { $0 } == [5])
            #expect(try domain.ask(.release, in: node, Domain.closing(handle)).error == 0)
        }
        // The release is completed by the engine's thread.
        for _ in 0..<24_000 {
            if registrar.closed.withLock({ $0.count }) > 1 { break }
            usleep(5000)
        }
        #expect(registrar.closed.withLock { $0 } == [5, 6])
    }
}

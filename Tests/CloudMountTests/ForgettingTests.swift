import Fuse
import FuseTesting
import Glibc
import TestThreads
import Testing

/// Tests of items that were removed while open. The file system must know each of them until the kernel forgets its
/// inode.
@Suite(.ownThreads) struct ForgettingTests {
    private typealias Domain = DispatchedDomain

    @Test func removedInodesAreKnownUntilForgotten() throws {
        let domain = try Domain()
        /// Makes a file, opens it and removes it.
        func make(_ name: String) throws -> (node: UInt64, handle: UInt64) {
            let made = try domain.ask(.create, Domain.making(name))
            #expect(try domain.ask(.unlink, Domain.name(name)).error == 0)
            return (made.number(), made.number(at: Domain.handlePlace))
        }
        let files = [try make("one"), try make("two"), try make("three")]
        #expect(try domain.ask(.makeDirectory, Domain.folder("folder")).error == 0)
        let folder = try domain.node("folder")
        #expect(try domain.ask(.removeDirectory, Domain.name("folder")).error == 0)
        let nodes = files.map(\.node) + [folder]
        for node in nodes { #expect(try domain.knows(node)) }

        // The file is closed, and its attributes are requested before the kernel forgets it.
        for file in files.dropLast() {
            #expect(try domain.ask(.release, in: file.node, Domain.closing(file.handle)).error == 0)
        }
        #expect(try domain.knows(nodes[0]))
        _ = try domain.ask(.forget, in: nodes[0], RequestDevice.numbers(.long(1)))
        // The release is completed by the engine's thread.
        try eventually { try !domain.knows(nodes[0]) }
        #expect(try domain.knows(nodes[1]) && domain.knows(folder))
        _ = try domain.ask(
            .batchForget,
            RequestDevice.numbers(.short(2), .short(0), .long(nodes[1]), .long(1), .long(folder), .long(2)))
        try eventually { try !domain.knows(nodes[1]) && !domain.knows(folder) }
        // An open file stays known until its release.
        let open = files[2]
        _ = try domain.ask(.forget, in: open.node, RequestDevice.numbers(.long(1)))
        #expect(try domain.knows(open.node))
        #expect(try domain.ask(.release, in: open.node, Domain.closing(open.handle)).error == 0)
        try eventually { try !domain.knows(open.node) }
    }

    private func eventually(_ condition: () throws -> Bool) throws {
        for _ in 0..<24_000 {
            if try condition() { return }
            usleep(5000)
        }
        Issue.record("what was waited for did not come")
    }
}

import FileProvider
import FileProviderEngine
import ItemStore
import ItemValues
import LinuxSystem
import ProviderTesting
import Testing

/// A file of a domain that a program has opened, and of which it has read the version "first".
struct OpenFile {
    let domain: TestDomain
    let identifier: String
    let number: ItemNumber
    let opened: OpenHandle

    init(_ prepare: (MemoryProvider) -> Void = { _ in }) async throws {
        domain = try TestDomain()
        prepare(domain.provider)
        identifier = domain.provider.addFile("file", "first")
        number = try await domain.item("file").number
        opened = try await domain.open(number)
        #expect(try await opened.text() == "first")
    }

    /// Returns the file's present row in the index.
    func row() throws -> IndexedItem { try #require(try domain.engine.index.item(named: "file", in: .root)) }

    func isKnown(_ text: String) throws -> Bool {
        try row().item.contentVersion == domain.provider.item(of: identifier)?.contentVersion
            && domain.provider.text(at: "file") == text
    }

    /// Changes the file at the provider, and waits until the engine has applied the change.
    func change(_ text: String) async throws {
        domain.provider.write(text, to: identifier)
        domain.engine.signal(container: nil)
        try await eventually { try isKnown(text) }
    }

    /// Changes the file likewise, and waits until the file has another item number.
    func replace(_ text: String) async throws -> ItemNumber {
        let before = try row().number
        try await change(text)
        try await eventually { try row().number != before }
        // Readers see the index before the engine has updated its open files.
        try await domain.engine.doing { _ in }
        return try row().number
    }

    /// Returns the program's open file, for the next engine to take over.
    func openingToResume() throws -> HandleToResume {
        let file = try #require(opened.descriptor).status().identity.inode
        return HandleToResume(handle: 7, number: number, isForWriting: false, file: file)
    }
}

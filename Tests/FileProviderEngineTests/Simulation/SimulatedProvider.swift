import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemValues
import LinuxSystem
import ProviderTesting

/// The provider, as one life of the engine's process sees it.
struct SimulatedProvider: Provider {
    let base: MemoryProvider
    let life: SimulatedLife
    /// The contents that the provider received.
    let arrivals: Arrivals

    /// Passes on a request and its reply through ``SimulatedLife/pass()``.
    ///
    /// - Parameter isChange: Whether the provider may signal the change before it replies.
    private func asking<Answer>(
        _ words: @autoclosure () -> String, isChange: Bool = false,
        _ ask: () async throws(ProviderError) -> Answer
    ) async throws(ProviderError) -> Answer {
        let number = life.begin(words())
        do throws(ProviderError) {
            try await life.pass()
            let answer = try await ask()
            if isChange { life.done(number) }
            try await life.pass()
            life.end(number, nil)
            return answer
        } catch {
            life.end(number, error)
            throw error
        }
    }

    func item(_ identifier: String) async throws(ProviderError) -> ProviderItem {
        try await asking("item \(identifier)") { () async throws(ProviderError) in try await base.item(identifier) }
    }

    func page(
        of container: String, after page: [UInt8]?, suggestedSize: Int
    ) async throws(ProviderError) -> ItemPage {
        try await asking("page of \(container)") { () async throws(ProviderError) in
            try await base.page(of: container, after: page, suggestedSize: suggestedSize)
        }
    }

    func currentAnchor(of container: String) async throws(ProviderError) -> [UInt8]? {
        try await asking("anchor of \(container)") { () async throws(ProviderError) in
            try await base.currentAnchor(of: container)
        }
    }

    func changes(
        in container: String, since anchor: [UInt8], suggestedSize: Int
    ) async throws(ProviderError) -> ChangeBatch {
        try await asking("changes in \(container)") { () async throws(ProviderError) in
            try await base.changes(in: container, since: anchor, suggestedSize: suggestedSize)
        }
    }

    func contents(
        of identifier: String, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws(ProviderError) -> ProviderContents {
        try await asking("contents of \(identifier)") { () async throws(ProviderError) in
            try await base.contents(of: identifier, progress: progress)
        }
    }

    func create(_ item: NewItem, contents: FileDescriptor?) async throws(ProviderError) -> ProviderItem {
        try await asking("create \(item.filename) in \(item.parent)", isChange: true) {
            () async throws(ProviderError) in
            let made = try await base.create(item, contents: contents)
            arrivals.noteMade(made, contents)
            return made
        }
    }

    func replaceContents(
        of identifier: String, with contents: FileDescriptor, base version: [UInt8], modified: Double
    ) async throws(ProviderError) -> ProviderItem {
        try await asking("replace \(identifier)", isChange: true) { () async throws(ProviderError) in
            let item = try await base.replaceContents(
                of: identifier, with: contents, base: version, modified: modified)
            arrivals.note(contents, item)
            return item
        }
    }

    func move(
        _ identifier: String, to parent: String, named name: String
    ) async throws(ProviderError) -> ProviderItem {
        try await asking("move \(identifier) to \(name) in \(parent)", isChange: true) {
            () async throws(ProviderError) in
            let moved = try await base.move(identifier, to: parent, named: name)
            arrivals.noteMoved(moved)
            return moved
        }
    }

    func delete(_ identifier: String) async throws(ProviderError) {
        try await asking("delete \(identifier)", isChange: true) { () async throws(ProviderError) in
            try await base.delete(identifier)
        }
    }

    func stopProviding(_ identifier: String) async {}
}

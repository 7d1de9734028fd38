import Conduit
import DomainMessages
import FileProviderEngine
import FileProviderWire
import Glibc
import ItemStore
import ItemValues
import LinuxSystem

/// Serves calls about the providers' trash.
extension DomainService {
    nonisolated func addTrashCalls(to service: inout Service) {
        service.on(TrashItemCall.self) { request, call in
            call.answer {
                try await self.at(request.place) { try await $0.trash() }
                return Empty()
            }
        }
        service.on(TrashedItemsCall.self) { _, call in
            call.answer { TrashedItemsCall.Reply(items: try await self.trashed()) }
        }
        service.on(UntrashItemCall.self) { request, call in
            call.answer {
                try await self.untrash(request)
                return Empty()
            }
        }
        service.on(EmptyTrashCall.self) { request, call in
            call.answer {
                try await self.empty(request) { call.report(completed: $0, total: $1) }
                return Empty()
            }
        }
    }

    /// The maximum number of listed items. A longer list does not help the user and does not fit into one message.
    private static let most = 10_000

    private func trashed() async throws -> [TrashedItem] {
        try await ready()
        var trashed: [TrashedItem] = []
        for place in places.values.sorted(by: { $0.record.name < $1.record.name }) {
            guard case .running(let record, let domain) = place else { continue }
            trashed += try await Self.items(in: domain).map {
                TrashedItem(domain: record.name, identifier: $0.identifier, name: $0.filename, kind: $0.kind)
            }
        }
        return Array(trashed.prefix(Self.most))
    }

    private static func items(in domain: RunningDomain) async throws -> [ProviderItem] {
        try await HandlerThreads.shared.value { () throws in try domain.engine.trashed() }
    }

    private func untrash(_ request: UntrashItemCall) async throws {
        let domain = try await domain(request.domain)
        let item = try Self.find(request.item, in: try await Self.items(in: domain), of: request.domain)
        do throws(ProviderError) {
            try await domain.engine.run { engine throws(ProviderError) in
                _ = try await engine.trash.restore(item.identifier, to: nil, engine)
            }
        } catch {
            throw DomainError("\(item.filename) stays in the trash: \(error.message)", like: error)
        }
    }

    /// Returns the trashed items that a user may mean by an identifier or a name.
    static func matches(of word: String, in items: [ProviderItem]) -> [ProviderItem] {
        var found = items.filter { $0.identifier.hasSameBytes(as: word) }
        if found.isEmpty { found = items.filter { $0.filename.hasSameBytes(as: word) } }
        // If no item has exactly this name, the user may have typed the name in another Unicode normal form.
        if found.isEmpty { found = items.filter { $0.filename == word } }
        return found
    }

    /// Finds a trashed item by identifier or by name.
    private static func find(_ word: String, in items: [ProviderItem], of domain: String) throws -> ProviderItem {
        let found = matches(of: word, in: items)
        guard let item = found.first else {
            throw DomainError("there is no \(word) in the trash of \(domain)", .noSuchItem)
        }
        guard found.count == 1 else {
            let words = found.map(\.identifier).joined(separator: ", ")
            throw DomainError("\(found.count) items are called \(word); name one of them: \(words)")
        }
        return item
    }

    /// Removes items from the trash. Continues after a failure, and reports failures at the end.
    private func empty(_ request: EmptyTrashCall, _ report: DomainItem.Report) async throws {
        let domain = try await domain(request.domain)
        var items = try await Self.items(in: domain)
        if let word = request.item { items = [try Self.find(word, in: items, of: request.domain)] }
        var first: (ProviderItem, ProviderError)?
        var failures = 0
        for (done, item) in items.enumerated() {
            report(Int64(done), Int64(items.count))
            do throws(ProviderError) {
                try await domain.engine.run { engine throws(ProviderError) in
                    try await engine.trash.remove(item.identifier, engine)
                }
            } catch {
                failures += 1
                if first == nil { first = (item, error) }
                // The remaining items would fail in the same way.
                if error.kind == .cancelled || error.kind == .notAuthenticated || error.kind == .serverUnreachable {
                    break
                }
            }
        }
        guard let (item, failure) = first else { return }
        let others = failures > 1 ? ", and \(failures - 1) more" : ""
        throw DomainError("\(item.filename) stays in the trash: \(failure.message)\(others)", like: failure)
    }
}

extension DomainItem {
    /// The timeout in seconds for the provider's confirmation of a removal. If the timeout passes, the removal
    /// continues.
    private static let longestWait = 10.0

    func trash() async throws {
        do throws(EditError) {
            try await domain.engine.run { engine throws(EditError) in try engine.localEdits.trash(item.number, engine) }
        } catch {
            switch error.errno {
            case Errno(rawValue: EBUSY):
                throw DomainError("it has changes that the service does not have yet; try again later")
            case .notPermitted: throw DomainError("it cannot be put into the trash of this service")
            default: throw DomainError("it cannot be put into the trash: \(error.errno)")
            }
        }
        do throws(ProviderError) {
            try await domain.engine.run { engine throws(ProviderError) in
                try await engine.progress.waitForRemoval(of: item.number, upTo: Self.longestWait)
            }
        } catch {
            if error.kind == .unsupported { throw DomainError("it stays, because its service has no trash") }
            throw DomainError("it stays: \(error.advice)", like: error)
        }
    }
}

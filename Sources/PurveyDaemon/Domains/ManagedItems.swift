import Conduit
import DomainMessages
import Exchange
import FileProvider
import FileProviderEngine
import FileProviderWire
import ItemStore
import LinuxSystem

/// Answers the requests that a provider's own programs and its extension make about the items of a domain.
struct ManagedItems: Sendable {
    let domain: RunningDomain

    /// The maximum number of identifiers in ``ManagerSettleCall/serving`` that are looked up. No process serves as many
    /// changes at a time.
    private static let mostServed = 1_024

    func transfer(_ request: ManagerTransferCall) async throws -> Empty {
        let item = DomainItem(domain: domain, item: try await domain.engine.learn(of: request.item))
        switch request.direction {
        case .here: try await item.download { _, _ in }
        // The provider must not end a pin that the user set.
        case .away: try await item.evict(unpins: false)
        }
        return Empty()
    }

    /// Waits until the changes that the request names are synchronized.
    ///
    /// - Parameter isOfProvider: Whether the process of the domain's provider made the request.
    func settle(_ request: ManagerSettleCall, isOfProvider: Bool = false) async throws -> Empty {
        let engine = domain.engine
        let waiter: EditWaiter =
            if let change = request.inside {
                .change(of: change)
            } else {
                isOfProvider ? .provider(serving: Array(request.serving.prefix(Self.mostServed))) : .other
            }
        if let item = request.item {
            let top = try await engine.learn(of: item).number
            try await engine.run { _ = try await $0.progress.waitForEdits(below: top, from: waiter) }
        } else {
            try await engine.waitForBothSides(from: waiter)
        }
        return Empty()
    }

    func modify(_ request: ManagerModificationCall) async throws -> Empty {
        let number = try await domain.engine.learn(of: request.item).number
        let fields = NSFileProviderItemFields(rawValue: UInt(truncatingIfNeeded: request.fields))
        if fields.contains(.contents) {
            try await domain.engine.run { try $0.localEdits.sendContentsAgain(number, $0) }
        }
        try await domain.engine.sendMetadataAgain(MetadataKinds(fields), of: number)
        return Empty()
    }

    func reimport(_ request: ManagerReimportCall) async throws -> Empty {
        try await domain.engine.run { try $0.imports.reimport(below: request.item, $0) }
        return Empty()
    }

    func totals(_ request: ManagerProgressCall) async throws -> TransferTotals {
        let engine = domain.engine
        return try await engine.run {
            request.isUpload ? try $0.progress.uploadTotals() : $0.downloader.totals()
        }
    }

    /// The duration for which changes are collected into one reply.
    private static let gathering: Duration = .milliseconds(300)

    func version(_ request: ManagerSetVersionCall) async throws -> ItemSetVersion {
        let sets = domain.engine.sets
        if let known = request.known {
            try await sets.wait(for: request.set, toDifferFrom: known)
            // Waits for further changes, because a user's action seldom changes only one item.
            try await Task.sleep(for: Self.gathering)
        }
        return ItemSetVersion(version: sets.version(of: request.set))
    }

    func items(_ request: ManagerSetCall) async throws -> ItemSetPage {
        try await HandlerThreads.shared.value { [engine = domain.engine] () throws in
            try engine.items(
                in: request.set, after: request.position.map { ItemNumber(rawValue: $0) },
                limit: min(max(1, request.limit), ItemSetPage.most))
        }
    }
}

extension Service {
    /// Adds the calls that the extension of a domain may make to its engine.
    ///
    /// - Parameter items: Returns the domain's items; `nil` before the domain runs.
    mutating func addExtensionCalls(_ items: @escaping @Sendable () -> ManagedItems?) {
        @Sendable func running() throws -> ManagedItems {
            if let items = items() { return items }
            throw ProviderError.domain(.providerDomainTemporarilyUnavailable, "The domain is being started.")
        }
        on(ManagerTransferCall.self) { request, call in call.answerProvider { try await running().transfer(request) } }
        on(ManagerSettleCall.self) { request, call in
            call.answerProvider { try await running().settle(request, isOfProvider: true) }
        }
        on(ManagerModificationCall.self) { request, call in call.answerProvider { try await running().modify(request) }
        }
        on(ManagerReimportCall.self) { request, call in call.answerProvider { try await running().reimport(request) } }
        on(ManagerProgressCall.self) { request, call in call.answerProvider { try await running().totals(request) } }
        on(ManagerSetCall.self) { request, call in call.answerProvider { try await running().items(request) } }
        on(ManagerSetVersionCall.self) { request, call in call.answerProvider { try await running().version(request) } }
    }
}

extension MetadataKinds {
    fileprivate init(_ fields: NSFileProviderItemFields) {
        self = []
        if fields.contains(.lastUsedDate) { insert(.lastUsed) }
        if fields.contains(.tagData) { insert(.tags) }
        if fields.contains(.favoriteRank) { insert(.favoriteRank) }
    }
}

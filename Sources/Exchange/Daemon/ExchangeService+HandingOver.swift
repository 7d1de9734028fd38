import Conduit
import Foundation
import ItemProvider
import LinuxSystem
import Synchronization

extension ExchangeService {
    /// Stores a representation that a process passes to the daemon. The process offers the item already, or will offer
    /// it when the daemon has stored the item's representations. In the second case, the former contents of a
    /// pasteboard remain until the new contents are complete.
    func hold(_ request: HoldCall, from peer: ExchangePeer) throws(ExchangeRefusalError) -> Empty {
        let supply: KeptSupply
        do {
            supply = try KeptSupply(request.supply.supply, item: request.item)
        } catch {
            throw .refused("the representation cannot be kept: \(error)")
        }
        try state.withLock { state throws(ExchangeRefusalError) in
            // Nothing is stored for a client that has disconnected meanwhile, as nothing would remove it later.
            guard state.clients[peer.number] != nil else { throw .noSuchItem }
            let entry = state.table.entry(request.identifier)
            if let entry, entry.owner != peer.number { throw .noSuchItem }
            let replaced = request.replacedBoard.map { state.table.items(on: $0).map(\.manifest.identifier) } ?? []
            try state.holdings.add(
                supply, index: request.index, of: request.identifier, on: entry?.board ?? request.replacedBoard ?? "",
                owner: peer.number, replacing: replaced, limits: limits)
        }
        return Empty()
    }

    /// Makes the daemon itself offer an item, with the representations that a process has passed to it.
    func takeOver(_ identifier: UUID, from peer: ExchangePeer) throws(ExchangeRefusalError) -> Empty {
        let provider = participant(peer)
        try state.withLock { state throws(ExchangeRefusalError) in
            guard let entry = state.table.entry(identifier), entry.owner == peer.number else { throw .noSuchItem }
            let held = state.holdings.supplies(of: identifier, owner: peer.number)
            let supplies = held.mapValues(\.supply)
            let kept = entry.manifest.representations.filter { supplies[$0.index] != nil }
            guard !kept.isEmpty else { throw .refused("nothing of the item was handed over") }
            try state.table.transfer(
                identifier, from: peer.number, to: Self.daemon, keeping: Set(kept.map(\.index)))
            let item = Self.provider(of: entry.manifest, supplies)
            state.holdings.keep(
                HostedOffer(
                    identifier: identifier, representations: item.promise.numbered(by: kept),
                    items: held.compactMapValues(\.item)),
                provider: provider)
        }
        log.info("keeps \(identifier.uuidString) for process \(peer.connection.peer.credentials.processID)")
        return Empty()
    }

    /// Returns the items of a process that should remain after the process has ended: the contents of pasteboards.
    func itemsToHandOver(by peer: ExchangePeer) -> PrepareToQuitCall.Reply {
        PrepareToQuitCall.Reply(
            identifiers: state.withLock { state in
                state.table.items(of: peer.number).filter(\.isPasteboardItem).map(\.manifest.identifier)
            })
    }

    /// Creates an item provider for an item whose representations were passed to the daemon.
    private static func provider(of manifest: OfferManifest, _ supplies: [Int: Supply]) -> NSItemProvider {
        let provider = NSItemProvider()
        provider.suggestedName = manifest.name
        for representation in manifest.representations {
            guard let supply = supplies[representation.index] else { continue }
            provider.promise.register(
                Representation(
                    typeIdentifier: representation.typeIdentifier,
                    visibility: NSItemProviderRepresentationVisibility(rawValue: representation.visibility)
                        ?? .ownProcess,
                    fileOptions: NSItemProviderFileOptions(rawValue: representation.fileOptions)
                ) { _, completion in
                    completion(.success(supply.again()))
                    return nil
                })
        }
        return provider
    }
}

extension ItemPromise {
    /// Returns the registered representations, by the index that each has in the manifests.
    func numbered(by manifests: [RepresentationManifest]) -> [Int: Representation] {
        var numbered: [Int: Representation] = [:]
        for manifest in manifests {
            numbered[manifest.index] = representation(of: manifest.typeIdentifier)
        }
        return numbered
    }
}

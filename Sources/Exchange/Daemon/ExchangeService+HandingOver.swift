import Conduit
import Foundation
import ItemProvider
import LinuxSystem
import Synchronization

extension ExchangeService {
    /// Keeps a representation that the item's process hands over.
    func hold(_ request: HoldCall, from peer: ExchangePeer) throws(ExchangeFault) -> Empty {
        try state.withLock { state throws(ExchangeFault) in
            guard let entry = state.table.entry(request.identifier), entry.owner == peer.number else {
                throw .noSuchItem
            }
            guard entry.manifest.representations.contains(where: { $0.index == request.index }) else {
                throw .refused("the item has no representation \(request.index)")
            }
            try state.holdings.add(
                request.supply.supply, index: request.index, of: request.identifier, owner: peer.number,
                limits: limits)
        }
        return Empty()
    }

    /// Becomes the one who offers an item, with what was handed over of it.
    func takeOver(_ identifier: UUID, from peer: ExchangePeer) throws(ExchangeFault) -> Empty {
        let provider = participant(peer)
        try state.withLock { state throws(ExchangeFault) in
            guard let entry = state.table.entry(identifier), entry.owner == peer.number else { throw .noSuchItem }
            let supplies = state.holdings.finish(identifier)
            guard !supplies.isEmpty else { throw .refused("nothing of the item was handed over") }
            try state.table.transfer(identifier, from: peer.number, to: Self.daemon, keeping: Set(supplies.keys))
            let item = Self.provider(of: entry.manifest, supplies)
            state.holdings.keep(
                HostedOffer(
                    identifier: identifier,
                    representations: item.promise.numbered(by: entry.manifest.representations)),
                provider: provider, supplies: supplies)
        }
        log.info("keeps \(identifier.uuidString) for process \(peer.connection.peer.credentials.processID)")
        return Empty()
    }

    /// The items of a process that should outlive it.
    func itemsToHandOver(by peer: ExchangePeer) -> PrepareToQuitCall.Reply {
        PrepareToQuitCall.Reply(
            identifiers: state.withLock { state in
                state.table.items(of: peer.number).filter(\.isPasteboardItem).map(\.manifest.identifier)
            })
    }

    /// An ordinary item provider that gives out what was handed over.
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
    /// The registered representations by the positions they have in a manifest.
    func numbered(by manifests: [RepresentationManifest]) -> [Int: Representation] {
        var numbered: [Int: Representation] = [:]
        for manifest in manifests {
            numbered[manifest.index] = representation(of: manifest.typeIdentifier)
        }
        return numbered
    }
}

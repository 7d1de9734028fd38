import Conduit
import Dispatch
import Foundation
import ItemProvider
import LinuxSystem

extension ExchangeService {
    /// The approximate size in bytes at which a page of a listing ends, so that it fits into one packet.
    private static let pageBytes = 32 << 10

    func offer(_ request: OfferCall, from peer: ExchangePeer) throws(ExchangeRefusalError) -> ChangeCountReply {
        let count = try state.withLock { state throws(ExchangeRefusalError) in
            try state.table.offer(request.manifest, on: request.board, owner: peer.number)
            return state.table.changeCount(of: request.board)
        }
        return ChangeCountReply(changeCount: count)
    }

    func withdraw(_ identifier: UUID, from peer: ExchangePeer) throws(ExchangeRefusalError) -> Empty {
        try state.withLock { state throws(ExchangeRefusalError) in
            state.holdings.dropUnfinished(identifier, of: peer.number)
            try state.table.withdraw(identifier, owner: peer.number)
        }
        return Empty()
    }

    func replaceContents(
        _ request: ReplaceContentsCall, from peer: ExchangePeer
    ) throws(ExchangeRefusalError) -> ChangeCountReply {
        let (replaced, ended, count) = try state.withLock { state throws(ExchangeRefusalError) in
            if request.onlyIfUntouched, state.table.isTouched(request.board) {
                throw .refused("the board \(request.board) has newer contents")
            }
            let replaced = try state.table.replaceContents(
                of: request.board, with: request.manifests, owner: peer.number, amending: request.amending)
            if request.isRemoval { state.table.forget(request.board) }
            let ended = replaced.compactMap { state.holdings.drop($0.manifest.identifier) }
            let owners = replaced.compactMap { entry in
                state.clients[entry.owner].map { ($0.connection, entry.manifest.identifier) }
            }
            return (owners, ended, state.table.changeCount(of: request.board))
        }
        for (connection, identifier) in replaced {
            // A connection that cannot be notified is about to close anyway.
            try? connection.notify(OfferReplacedNotice(identifier: identifier))
        }
        for offer in ended { offer.end() }
        return ChangeCountReply(changeCount: count)
    }

    func list(_ request: ListCall, _ call: ServedCall<ListCall>) {
        let (entries, changeCount) = state.withLock {
            ($0.table.items(on: request.board, after: request.cursor), $0.table.changeCount(of: request.board))
        }
        judging(entries) {
            self.answer(call) { self.page(entries, changeCount: changeCount, for: $0) }
        }
    }

    /// Returns the first page of a listing: as many of the entries' visible items as fit into one packet.
    private func page(_ entries: [BoardTable.Entry], changeCount: UInt64, for peer: ExchangePeer) -> ListCall.Reply {
        var judge = VisibilityJudge(self, asker: peer)
        var manifests: [OfferManifest] = []
        var bytes = 0
        for (position, entry) in entries.enumerated() {
            let visible = judge.visible(entry)
            if !visible.isEmpty {
                manifests.append(
                    OfferManifest(
                        identifier: entry.manifest.identifier, name: entry.manifest.name, representations: visible,
                        hasPreview: entry.manifest.hasPreview
                            && visible.count == entry.manifest.representations.count))
                bytes += 64 + (entry.manifest.name?.utf8.count ?? 0)
                bytes += visible.reduce(0) { $0 + 24 + $1.typeIdentifier.utf8.count }
            }
            if bytes >= Self.pageBytes, position + 1 < entries.count {
                return ListCall.Reply(manifests: manifests, next: entry.sequence, changeCount: changeCount)
            }
        }
        return ListCall.Reply(manifests: manifests, next: nil, changeCount: changeCount)
    }
}

extension ExchangeService {
    func addBundleCalls(to service: inout Service) {
        // A serial queue: concurrent registrations could exceed the limit.
        let disk = DispatchQueue(label: "purvey.bundles")
        service.on(RegisterBundleCall.self) { request, call in
            disk.async {
                do {
                    let record = try self.bundles.register(path: request.path)
                    self.log.info("registered the bundle \(record.identifier) in \(record.path)")
                    call.reply(BundleDescription(record))
                } catch {
                    call.fail(error as? ExchangeRefusalError ?? .refused("the bundle cannot be registered: \(error)"))
                }
            }
        }
        service.on(RemoveBundleCall.self) { request, call in
            disk.async {
                do throws(ExchangeRefusalError) {
                    try self.bundles.remove(identifier: request.identifier)
                    self.log.info("removed the bundle \(request.identifier)")
                    call.reply()
                } catch {
                    call.fail(error)
                }
            }
        }
        service.on(ListBundlesCall.self) { _, call in
            call.reply(ListBundlesCall.Reply(bundles: self.bundles.all.map { BundleDescription($0) }))
        }
    }
}

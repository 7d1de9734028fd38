import AppExtension
import Conduit
import Exchange
import FileProvider
import FileProviderEngine
import LinuxSystem

/// The calls about actions of the providers' own. Which of them fit an item is told by the index, without waking an extension.
extension DomainService {
    nonisolated func addActionCalls(to service: inout Service) {
        service.on(ListActionsCall.self) { request, call in
            call.answer {
                let (item, actions) = try await self.actions(for: request.place)
                let fitting = try await HandlerThreads.shared.value { () throws in try actions.fitting(item) }
                return ListActionsCall.Reply(actions: fitting.map(\.description), faults: actions.faults)
            }
        }
        service.on(PerformActionCall.self) { request, call in
            call.answer {
                try await self.perform(request) { call.report(completed: $0, total: $1) }
                return Empty()
            }
        }
    }

    /// An item, and the actions that its provider has.
    private func actions(for place: ItemPlace) async throws -> (DomainItem, ProviderActions) {
        let (record, domain, names) = try await names(of: place)
        let item = try await DomainItem.findKnown(names, in: domain)
        let data = folders.locations.data
        let actions = try await HandlerThreads.shared.value { () throws in
            try ProviderActions(of: record.provider, data: data)
        }
        return (item, actions)
    }

    private func perform(
        _ request: PerformActionCall, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws {
        let (item, actions) = try await actions(for: request.place)
        let path = request.place.text
        let choice = try await HandlerThreads.shared.value { () throws in
            try actions.find(request.action, for: item, named: path)
        }
        guard item.item.isKnownToProvider else { throw DomainFailure("the provider does not know of \(path) yet") }
        guard choice.interface == nil else {
            throw DomainFailure("the action \(request.action) has to ask a person")
        }
        do throws(ProviderFailure) {
            try await item.domain.engine.perform(
                request.action, on: [item.item.item.identifier], progress: progress)
        } catch {
            throw DomainFailure("\(choice.action.name): \(DomainFailure(error))", like: error)
        }
    }
}

import AppExtension
import Conduit
import DomainMessages
import Exchange
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Serves calls about the custom actions of providers. The actions that fit an item are computed from the index,
/// without starting an extension.
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
            }
        }
    }

    /// Returns the item at the given place, and the actions of the item's provider.
    private func actions(for place: ItemPlace) async throws -> (DomainItem, ProviderActions) {
        let (record, domain, names) = try await names(of: place)
        let item = try await find(place) { try await DomainItem.findKnown(names, in: domain) }
        return (item, try await actions(of: record))
    }

    /// Returns the actions of a domain's provider.
    func actions(of record: DomainRecord) async throws -> ProviderActions {
        let data = folders.locations.data
        return try await HandlerThreads.shared.value { () throws in
            try ProviderActions(of: record.provider, data: data)
        }
    }

    /// Returns an item that the provider knows, and its action with the given identifier. The action must fit the item.
    func choice(
        _ action: String, for place: ItemPlace
    ) async throws -> (item: DomainItem, choice: ProviderActions.Choice) {
        let (item, actions) = try await actions(for: place)
        let choice = try await HandlerThreads.shared.value { () throws in
            try actions.find(action, for: item, named: place.text)
        }
        guard item.item.isKnownToProvider else {
            throw DomainError("the provider does not know of \(place.text) yet")
        }
        return (item, choice)
    }

    private func perform(
        _ request: PerformActionCall, progress: @escaping @Sendable (Int64, Int64) -> Void
    ) async throws -> ProviderActionReply {
        let (item, choice) = try await choice(request.action, for: request.place)
        guard choice.interface == nil else {
            throw DomainError("the action \(request.action) has to ask the user")
        }
        if let input = choice.action.input, request.input?.isEmpty ?? true {
            throw DomainError("the action \(request.action) needs \(input)")
        }
        do throws(ProviderError) {
            return try await item.domain.engine.perform(
                request.action, on: [item.item.item.identifier], input: request.input, progress: progress)
        } catch {
            throw DomainError("\(choice.action.name): \(DomainError(error))", like: error)
        }
    }
}

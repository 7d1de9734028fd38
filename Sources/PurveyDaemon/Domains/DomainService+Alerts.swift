import AppExtension
import Conduit
import DomainMessages
import Exchange
import ExtensionHost
import FileProviderEngine
import FileProviderWire
import ItemStore
import ItemValues
import LinuxSystem

/// Finds the alerts that providers require before operations of the user (`NSFileProviderUserInteractions`). The rules
/// of alerts are evaluated on the index. The only request to the provider is whether the user has suppressed an alert.
extension DomainService {
    nonisolated func addAlertCalls(to service: inout Service) {
        service.on(FindAlertsCall.self) { request, call in
            call.answer { FindAlertsCall.Reply(alerts: try await self.alerts(before: request)) }
        }
        service.on(ListAlertsCall.self) { request, call in
            call.answer { ListAlertsCall.Reply(alerts: try await self.suppressibleAlerts(of: request.domain)) }
        }
        service.on(SuppressAlertCall.self) { request, call in
            call.answer {
                try await self.suppress(request)
                return Empty()
            }
        }
    }

    // MARK: Alerts before an operation

    /// The part of an operation that concerns one domain.
    private struct Share {
        let domain: RunningDomain
        let record: DomainRecord
        let operation: UserOperation
        var items: [PredicateValue]
        let destination: PredicateValue
        /// The number of items that the operation moves or copies into the domain from outside.
        var foreign = 0

        init(
            _ domain: RunningDomain, _ record: DomainRecord, _ operation: UserOperation, _ items: [PredicateValue] = [],
            to destination: PredicateValue = .nothing
        ) {
            (self.domain, self.record, self.operation) = (domain, record, operation)
            (self.items, self.destination) = (items, destination)
        }
    }

    private func alerts(before request: FindAlertsCall) async throws -> [AlertDescription] {
        try await ready()
        var alerts: [AlertDescription] = []
        for share in await shares(of: request) {
            let interactions = await interactions(of: share.record)
            guard !interactions.isEmpty else { continue }
            let index = share.domain.engine.index
            let alert = try await HandlerThreads.shared.value { () throws -> InteractionAlert? in
                let domain = try index.actionDomain()
                let subject =
                    share.foreign > 0
                    ? InteractionSubject(share.operation, count: share.foreign, to: share.destination, domain: domain)
                    : InteractionSubject(share.operation, share.items, to: share.destination, domain: domain)
                return UserInteraction.alert(for: subject, in: interactions)
            }
            guard let alert, let shown = await shown(alert, share) else { continue }
            alerts.append(shown)
        }
        return alerts
    }

    /// Returns the interactions that a domain's provider declares; none if the provider is not installed any more. An
    /// operation that needs the provider then fails by itself.
    private func interactions(of record: DomainRecord) async -> [UserInteraction] {
        let data = folders.locations.data
        return await HandlerThreads.shared.value {
            (try? ExtensionLibrary(data: data).find(record.provider))?.interactions ?? []
        }
    }

    /// Returns the description of an alert; `nil` if the user has suppressed it.
    private func shown(_ alert: InteractionAlert, _ share: Share) async -> AlertDescription? {
        var alert = alert
        if let identifier = alert.suppression {
            do throws(ProviderError) {
                if try await share.domain.provider.isSuppressed(identifier) { return nil }
            } catch {
                // The provider supports no suppression, or does not reply. The alert is shown in both cases.
                alert.suppression = nil
            }
        }
        return AlertDescription(domain: share.record.name, alert: alert)
    }

    /// Splits an operation into parts, one for each domain. The destination's domain has two parts if some of the moved
    /// or copied items are its own, and others come from outside.
    private func shares(of request: FindAlertsCall) async -> [Share] {
        var target: (record: DomainRecord, item: DomainItem)?
        if let place = request.destination { target = await known(place) }
        let destination = await subject(of: target?.item) ?? .nothing
        let name = request.name.map(InteractionSubject.item(named:)) ?? .nothing
        if request.operation == .create {
            guard let (record, item) = target else { return [] }
            return [Share(item.domain, record, .create, [name], to: destination)]
        }
        var shares: [String: Share] = [:]
        var foreign = 0
        for place in request.items {
            guard let (record, item) = await known(place), let subject = await subject(of: item) else {
                foreign += 1
                continue
            }
            let isInside = target?.item.domain.identifier == item.domain.identifier
            if !isInside { foreign += 1 }
            let operation = request.operation.operation(isInside: isInside)
            let goal = operation == .rename ? name : isInside ? destination : .nothing
            shares[record.name, default: Share(item.domain, record, operation, to: goal)].items.append(subject)
        }
        for deletion in request.deletions {
            guard case .running(let record, let domain)? = places[deletion.domain] else { continue }
            shares[record.name, default: Share(domain, record, .delete)].items += await subjects(
                of: deletion, in: domain)
        }
        var parts = shares.sorted { $0.key < $1.key }.map(\.value)
        if foreign > 0, let operation = request.operation.incoming, let (record, item) = target {
            parts.append(Share(item.domain, record, operation, to: destination))
            parts[parts.count - 1].foreign = foreign
        }
        return parts
    }

    /// Returns an item and the record of its domain; `nil` for an item that does not exist or lies in no domain. The
    /// operation itself reports such an item.
    private func known(_ place: ItemPlace) async -> (record: DomainRecord, item: DomainItem)? {
        guard let (record, domain, names) = try? await names(of: place),
            let item = try? await DomainItem.findKnown(names, in: domain)
        else { return nil }
        return (record, item)
    }

    private func subject(of item: DomainItem?) async -> PredicateValue? {
        guard let item else { return nil }
        let (engine, number) = (item.domain.engine, item.item.number)
        return await HandlerThreads.shared.value {
            try? engine.index.actionSubject(of: number, engine.uploads[number])
        }
    }

    private func subjects(of deletion: EmptyTrashCall, in domain: RunningDomain) async -> [PredicateValue] {
        await HandlerThreads.shared.value {
            let items = (try? domain.engine.trashed()) ?? []
            let deleted = deletion.item.map { Self.matches(of: $0, in: items) } ?? items
            return deleted.map { domain.engine.index.actionSubject(ofTrashed: $0) }
        }
    }

    // MARK: Suppression

    private func suppressibleAlerts(of name: String) async throws -> [SuppressibleAlert] {
        let domain = try await domain(name)
        var alerts: [SuppressibleAlert] = []
        for identifier in await suppressions(of: name) {
            do throws(ProviderError) {
                alerts.append(
                    .init(identifier: identifier, isSuppressed: try await domain.provider.isSuppressed(identifier)))
            } catch {
                if error.kind == .unsupported { return [] }
                throw error
            }
        }
        return alerts
    }

    private func suppressions(of name: String) async -> [String] {
        guard let record = places[name]?.record else { return [] }
        return Set(await interactions(of: record).flatMap(\.suppressions)).sorted()
    }

    private func suppress(_ request: SuppressAlertCall) async throws {
        let domain = try await domain(request.domain)
        guard await suppressions(of: request.domain).contains(request.identifier) else {
            throw DomainError(
                "the provider of \(request.domain) has no alert \(request.identifier); 'purvey alerts "
                    + "\(request.domain.shellWord)' lists them")
        }
        do throws(ProviderError) {
            try await domain.provider.setSuppressed(request.isSuppressed, request.identifier)
        } catch {
            throw DomainError("\(request.identifier): \(DomainError(error))", like: error)
        }
    }
}

extension FindAlertsCall.Operation {
    /// Returns the operation from the point of view of the items' domain.
    ///
    /// - Parameter isInside: Whether the items stay in their domain.
    fileprivate func operation(isInside: Bool) -> UserOperation {
        switch self {
        case .trash: .trash
        case .delete: .delete
        case .rename: .rename
        case .create: .create
        case .move: isInside ? .move : .moveOut
        case .copy: isInside ? .copy : .copyOut
        }
    }

    /// The operation from the point of view of the destination's domain, for items that come from outside.
    fileprivate var incoming: UserOperation? {
        switch self {
        case .move: .moveIn
        case .copy: .copyIn
        case .trash, .delete, .rename, .create: nil
        }
    }
}

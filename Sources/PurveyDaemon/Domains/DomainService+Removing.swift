import DomainMessages
import Exchange
import FileProviderEngine
import LinuxSystem

/// Removes domains.
extension DomainService {
    func remove(_ request: RemoveDomainCall) async throws -> RemoveDomainCall.Reply {
        try await ready()
        // The keyring is unlocked because the domain's passwords are removed as well.
        await passwords?.unlockForUser()
        guard let place = places[request.name] else {
            throw DomainError.noSuchDomain(request.name, among: places.keys)
        }
        let record = place.record
        let edits: String?
        switch place {
        case .changing: throw DomainError("\(request.name) is being changed; try again")
        case .running(_, let domain): edits = try await end(record, domain, keepsEdits: request.keepsEdits)
        case .failed:
            places[record.name] = .changing(record)
            do {
                edits = try await EditRescue.keepOfStopped(record, folders, isWanted: request.keepsEdits)
            } catch {
                places[record.name] = place
                throw DomainError(error)
            }
        }
        do {
            try await HandlerThreads.shared.value { [folders] () throws in try folders.remove(record) }
        } catch {
            places[record.name] = .failed(record, "it could not be removed: \(error)")
            throw DomainError("\(record.name) cannot be removed: \(error)")
        }
        await surroundings.removeRemains(of: record)
        places[record.name] = nil
        note()
        log.info("the domain \(record.name) is removed")
        return RemoveDomainCall.Reply(edits: edits)
    }

    /// Ends a domain before its removal. Fails if the domain has edits and `keepsEdits` is `false`.
    ///
    /// - Returns: The directory with the edits; `nil` if there are none.
    private func end(_ record: DomainRecord, _ domain: RunningDomain, keepsEdits: Bool) async throws -> String? {
        // The state changes before the first wait, so that a second removal is refused.
        places[record.name] = .changing(record)
        if !keepsEdits {
            do {
                try await Self.refuseEdits(record, domain)
            } catch {
                places[record.name] = .running(places[record.name]?.record ?? record, domain)
                throw error
            }
        }
        await unmount(record)
        let edits: String?
        do {
            // Files that were open until now may have become edits.
            if !keepsEdits { try await Self.refuseEdits(record, domain) }
            edits = try await EditRescue.keep(record, domain, folders)
        } catch {
            places[record.name] = .running(places[record.name]?.record ?? record, domain)
            try? await mount(record, domain)
            throw DomainError(error)
        }
        await domain.close()
        return edits
    }

    private static func refuseEdits(_ record: DomainRecord, _ domain: RunningDomain) async throws {
        let count = try await domain.engine.run { try $0.progress.editStatus().items.count }
        try EditRescue.refuse(record, count: count)
    }
}

import FileCoordination
import Glibc
import LinuxSystem

/// Translates a confined process's claims, and the changes that the process reports when a claim ends.
extension ConfinedView {
    private struct RefusalError: Error { let reason: String }

    func claim(_ request: ClaimRequest, _ handed: FileDescriptor?) -> Decision {
        let isNext = state.withLock { state in
            if let last = state.lastClaim, request.number <= last { return false }
            state.lastClaim = request.number
            return true
        }
        guard isNext else {
            return .refused(
                claim: request.number, reason: "a process numbers its claims in the order in which it makes them")
        }
        var items: [RequestedAccess] = []
        var accesses: [Access] = []
        do throws(RefusalError) {
            for access in request.accesses {
                // A handed file is ignored in a claim of several items, because its writers would wait for as long as
                // the process uses the other items.
                let (place, real) = try locate(access, request.accesses.count == 1 ? handed : nil)
                items.append(
                    RequestedAccess(access: access, place: place, told: real.map { ($0.path, accesses.count) }))
                if let real { accesses.append(real) }
            }
        } catch {
            return .refused(claim: request.number, reason: error.reason)
        }
        guard !accesses.isEmpty else { return .granted(claim: request.number) }
        var told = request
        told.accesses = accesses
        let isReading = items.contains { $0.place == .handed }
        if isReading { told.presenterTimeLimit = min(told.presenterTimeLimit, Self.presenterMilliseconds) }
        let asked = items
        state.withLock { state in
            state.claims[request.number] = asked
            if isReading { state.readings[request.number] = .waiting }
        }
        return .event(.claim(told))
    }

    /// The time in milliseconds for which presenters may delay a claim of a handed file (see ``ConfinedView``) in order
    /// to save it. Programs that want to write the file wait in the meantime.
    private static let presenterMilliseconds = 30_000

    /// Returns the kind of the accessed item, and the access to pass to the arbiter. `real` is `nil` if the arbiter
    /// need not be notified of the access.
    private func locate(
        _ access: Access, _ handed: FileDescriptor?
    ) throws(RefusalError) -> (place: RequestedAccess.Place, real: Access?) {
        if isOwn(access.path) {
            let key = ownKey(access.key, of: access.path)
            return (.own, Access(path: access.path, key: key, traits: access.traits))
        }
        if let item = places.item(at: access.path.string) {
            guard item.isWritable || !access.writes else {
                throw RefusalError(reason: "the process has access to \(access.path) for reading only")
            }
            let path = PlainPath.moved(access.path, from: item.path, to: item.realPath)
            return (.placed, Access(path: path, key: key(access, at: path, in: item), traits: access.traitsInPlace))
        }
        guard !isPlace(access.path) else { throw RefusalError(reason: "there is no item at \(access.path)") }
        guard !access.writes else {
            throw RefusalError(
                reason: "\(access.path) is neither in the process's container nor an item that it has access to")
        }
        // A file outside the container is claimed only if the process passes an open descriptor of the file. A file
        // that has no name any more needs no claim.
        guard let handed, handed.isOpenForReading, handed.knownKind == .regular, let path = handed.path,
            path.utf8.count < Int(PATH_MAX)
        else { return (.elsewhere, nil) }
        let file = PlacedItem(path: access.path.string, realPath: path, isWritable: false)
        return (.handed, Access(path: file.realPath, key: file.realKey, traits: access.traitsInPlace))
    }

    /// Returns the ``Access/key`` for an access outside the container: `path` is the real path of `item` or of an item
    /// in it.
    private func key(_ access: Access, at path: ExactPath, in item: PlacedItem) -> ExactPath {
        if item.realKey != item.realPath { return item.realKey }
        guard PlainPath.isAtOrBeneath(access.key, item.path), PlainPath.isAtOrBeneath(access.path, access.key) else {
            return path
        }
        return PlainPath.moved(access.key, from: item.path, to: item.realPath)
    }

    /// Removes a claim of the process. Returns the claim's items; `nil` if the claim was not passed to the arbiter.
    func end(_ claim: UInt64) -> [RequestedAccess]? {
        state.withLock { state in
            if !state.readings.isEmpty { state.readings[claim] = nil }
            return state.claims.removeValue(forKey: claim)
        }
    }

    /// Returns the outcomes that the process may report to other processes. Each has the index that its access has in
    /// the claim that was passed to the arbiter.
    func allowed(_ outcomes: [ClaimOutcome], of items: [RequestedAccess]) -> [ClaimOutcome] {
        outcomes.compactMap { outcome in
            guard items.indices.contains(outcome.access), items[outcome.access].access.writes,
                let number = items[outcome.access].told?.number
            else { return nil }
            switch (items[outcome.access].place, outcome.change) {
            case (.own, .moved(let path, let key)) where isOwn(path):
                return ClaimOutcome(access: number, change: .moved(toPath: path, key: ownKey(key, of: path)))
            // The process cannot rename or remove anything in an item outside the container. If it reports such an item
            // as gone, its own access to the item may just have ended.
            case (.own, .moved), (.placed, .changed), (.placed, .deleted), (.placed, .moved):
                return ClaimOutcome(access: number, change: .changed)
            case (.own, let change), (.placed, let change): return ClaimOutcome(access: number, change: change)
            case (.handed, _), (.elsewhere, _): return nil
            }
        }
    }

    // MARK: Overdue claims

    /// Whether the caller must start the periodic check of claims of handed files. Returns `true` only once until that
    /// check has stopped.
    func isToBeLookedAfter() -> Bool {
        state.withLock { state in
            if state.isLookedAfter || state.readings.isEmpty { return false }
            state.isLookedAfter = true
            return true
        }
    }

    /// Removes the claims of handed files that were already granted at the previous call. Returns these claims, and
    /// whether further claims of handed files remain to be checked.
    func takeOverdueReadings() -> (claims: [UInt64], goesOn: Bool) {
        state.withLock { state in
            let overdue = state.readings.filter { $0.value == .overdue }.keys.sorted()
            for claim in overdue {
                state.readings[claim] = nil
                state.claims[claim] = nil
            }
            for (claim, reading) in state.readings where reading == .granted { state.readings[claim] = .overdue }
            state.isLookedAfter = !state.readings.isEmpty
            return (overdue, state.isLookedAfter)
        }
    }
}

extension Access {
    /// The traits that are allowed for an item outside the container, which can be read or changed in place, but not
    /// deleted, moved or replaced.
    fileprivate var traitsInPlace: Traits { traits.intersection([.writes, .saves, .isQuiet]) }
}

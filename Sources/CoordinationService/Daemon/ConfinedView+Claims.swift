import FileCoordination
import Glibc
import LinuxSystem

/// What a confined process claims, and what it says has become of that.
extension ConfinedView {
    private struct Refusal: Error { let reason: String }

    func claim(_ request: ClaimRequest, _ handed: FileDescriptor?) -> Verdict {
        let isNext = state.withLock { state in
            if let last = state.lastClaim, request.number <= last { return false }
            state.lastClaim = request.number
            return true
        }
        guard isNext else {
            return .refused(
                claim: request.number, reason: "a process numbers its claims in the order in which it makes them")
        }
        var items: [Asked] = []
        var accesses: [Access] = []
        do throws(Refusal) {
            for access in request.accesses {
                // With others it might stand before those who write it for as long as the process likes to have those.
                let (place, real) = try locate(access, request.accesses.count == 1 ? handed : nil)
                items.append(Asked(access: access, place: place, told: real.map { ($0.path, accesses.count) }))
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

    /// How long presenters of a file that was handed over have to save it. Those who write it wait meanwhile.
    private static let presenterMilliseconds = 30_000

    /// Which item an access is of, and what the arbiter is told of it, if anything.
    private func locate(
        _ access: Access, _ handed: FileDescriptor?
    ) throws(Refusal) -> (place: Asked.Place, real: Access?) {
        if isOwn(access.path) {
            let key = ownKey(access.key, of: access.path)
            return (.own, Access(path: access.path, key: key, traits: access.traits))
        }
        if let item = places.item(at: access.path.string) {
            guard item.isWritable || !access.writes else {
                throw Refusal(reason: "the process has access to \(access.path) for reading only")
            }
            let path = PlainPath.moved(access.path, from: item.path, to: item.realPath)
            return (.placed, Access(path: path, key: key(access, at: path, in: item), traits: access.traitsInPlace))
        }
        guard !isPlace(access.path) else { throw Refusal(reason: "there is no item at \(access.path)") }
        guard !access.writes else {
            throw Refusal(
                reason: "\(access.path) is neither in the process's container nor an item that it has access to")
        }
        // Nobody is asked about a file here, and one that has no name any more is nobody's to wait for.
        guard let handed, handed.isOpenForReading, handed.knownKind == .regular, let path = handed.path,
            path.utf8.count < Int(PATH_MAX)
        else { return (.elsewhere, nil) }
        let file = PlacedItem(path: access.path.string, realPath: path, isWritable: false)
        return (.handed, Access(path: file.realPath, key: file.realKey, traits: access.traitsInPlace))
    }

    /// What is guarded of something at or in a placed item.
    private func key(_ access: Access, at path: ExactPath, in item: PlacedItem) -> ExactPath {
        if item.realKey != item.realPath { return item.realKey }
        guard PlainPath.isAtOrBeneath(access.key, item.path), PlainPath.isAtOrBeneath(access.path, access.key) else {
            return path
        }
        return PlainPath.moved(access.key, from: item.path, to: item.realPath)
    }

    /// A claim is over for the process. Returns what it was of, if the arbiter was told of it.
    func end(_ claim: UInt64) -> [Asked]? {
        state.withLock { state in
            if !state.readings.isEmpty { state.readings[claim] = nil }
            return state.claims.removeValue(forKey: claim)
        }
    }

    /// What others are told of what has become of items.
    func allowed(_ outcomes: [ClaimOutcome], of items: [Asked]) -> [ClaimOutcome] {
        outcomes.compactMap { outcome in
            guard items.indices.contains(outcome.access), items[outcome.access].access.writes,
                let number = items[outcome.access].told?.number
            else { return nil }
            switch (items[outcome.access].place, outcome.change) {
            case (.own, .moved(let path, let key)) where isOwn(path):
                return ClaimOutcome(access: number, change: .moved(toPath: path, key: ownKey(key, of: path)))
            // Nothing is renamed or removed in a place; what it no longer sees there may be access that has ended.
            case (.own, .moved), (.placed, .changed), (.placed, .deleted), (.placed, .moved):
                return ClaimOutcome(access: number, change: .changed)
            case (.own, let change), (.placed, let change): return ClaimOutcome(access: number, change: change)
            case (.handed, _), (.elsewhere, _): return nil
            }
        }
    }

    // MARK: For a while

    /// Whether somebody is to look from time to time at the claims of files that were handed over, who does not yet.
    func isToBeLookedAfter() -> Bool {
        state.withLock { state in
            if state.isLookedAfter || state.readings.isEmpty { return false }
            state.isLookedAfter = true
            return true
        }
    }

    /// Gives the claims of such files that were granted before this was last called, as over for the process; and whether there are
    /// others, to be looked at again.
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
    /// How an item is used that can be read, or changed where it is, and nothing else.
    fileprivate var traitsInPlace: Traits { traits.intersection([.writes, .saves, .isQuiet]) }
}

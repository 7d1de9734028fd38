import FileCoordination
import Foundation
import LinuxSystem

/// Translates the arbiter's effects for a confined process.
extension ConfinedView {
    /// Translates the arbiter's effects into the process's paths. Drops effects that the process may not see.
    func translate(_ effects: [CoordinationEffect]) -> [CoordinationEffect] { effects.compactMap(translate) }

    private func translate(_ effect: CoordinationEffect) -> CoordinationEffect? {
        switch effect {
        case .granted(let claim, let paths, let keys, let hasWaited):
            return grant(claim, paths, keys, hasWaited)
        case .denied(let claim, let denial): return .denied(claim: claim, translate(denial, of: end(claim) ?? []))
        case .prepare(var preparation):
            let number = preparation.presenter
            preparation.deletedSubitems = preparation.deletedSubitems.compactMap { name($0, for: number) }
            return .prepare(preparation)
        case .reacquire: return effect
        case .notify(let presenter, let notice):
            return translate(notice, for: presenter).map { .notify(presenter: presenter, $0) }
        }
    }

    private func grant(
        _ claim: UInt64, _ paths: [ExactPath], _ keys: [ExactPath], _ hasWaited: Bool
    ) -> CoordinationEffect? {
        let known = state.withLock { state in
            if state.readings[claim] != nil { state.readings[claim] = .granted }
            return state.claims[claim]
        }
        // The process has cancelled the claim meanwhile.
        guard let items = known else { return nil }
        // A claim of a handed file always counts as having waited, so that it does not reveal whether other processes
        // use the file.
        let mayHaveWaited = hasWaited || items.contains { $0.place == .handed }
        // An item outside the container keeps the path by which the process knows it.
        let moved = items.map { item -> Int? in
            guard item.place == .own, let number = item.told?.number, paths.indices.contains(number),
                keys.indices.contains(number), isOwn(paths[number])
            else { return nil }
            return number
        }
        guard moved.contains(where: { $0 != nil }) else {
            return .granted(claim: claim, paths: [], keys: [], hasWaited: mayHaveWaited)
        }
        return .granted(
            claim: claim, paths: zip(items, moved).map { $1.map { paths[$0] } ?? $0.access.path },
            keys: zip(items, moved).map { $1.map { ownKey(keys[$0], of: paths[$0]) } ?? $0.access.key },
            hasWaited: mayHaveWaited)
    }

    private func translate(_ denial: ClaimDenial, of asked: [RequestedAccess]) -> ClaimDenial {
        func name(_ path: String) -> String {
            if isOwn(ExactPath(path)) { return path }
            return asked.first { $0.told?.path == ExactPath(path) }?.access.path.string
                ?? "an item outside of the container"
        }
        switch denial {
        case .deadlock(let other, let path): return .deadlock(other, path: name(path))
        case .blockedPresenter(let path): return .blockedPresenter(path: name(path))
        case .presenter(let failure):
            // Another program's message and error code may reveal its other files.
            let isOwn = asked.allSatisfy { $0.place == .own }
            return .presenter(
                CoordinationError(
                    domain: isOwn ? failure.domain : CocoaError.errorDomain,
                    code: isOwn ? failure.code : CocoaError.Code.fileReadUnknown.rawValue,
                    message: "a program that has the file open refused"))
        case .refused, .tooManyClaims: return denial
        }
    }

    /// Returns the path that the process uses for an item that the given presenter presents, or for an item beneath it;
    /// `nil` for any other item.
    private func name(_ path: ExactPath, for presenter: UInt64) -> ExactPath? {
        guard let outside = state.withLock({ $0.presenters[presenter] }) else { return isOwn(path) ? path : nil }
        guard PlainPath.isAtOrBeneath(path, outside.realPath) else { return nil }
        return PlainPath.moved(path, from: outside.realPath, to: outside.path)
    }

    private func translate(_ notice: PresenterNotice, for presenter: UInt64) -> PresenterNotice? {
        switch notice {
        case .moved(let path):
            // The process still finds an item outside the container at the same path.
            let isOutside = state.withLock { state in
                guard state.presenters[presenter] != nil else { return false }
                state.presenters[presenter]?.realPath = path
                return true
            }
            // The presenter now presents an item in the container. A notice with a path outside the container is about
            // an item that it presented earlier.
            return isOutside || !isOwn(path) ? nil : notice
        case .changed, .attributesChanged: return notice
        case .subitemChanged(let path): return name(path, for: presenter).map { .subitemChanged($0) }
        case .subitemMoved(let old, let new):
            switch (name(old, for: presenter), name(new, for: presenter)) {
            case (let old?, let new?): return .subitemMoved(from: old, to: new)
            case (let path?, nil), (nil, let path?): return .subitemChanged(path)
            case (nil, nil): return nil
            }
        case .subitemAttributesChanged(let path, let names):
            return name(path, for: presenter).map { .subitemAttributesChanged($0, names) }
        case .versionChanged(let path, let change):
            return name(path, for: presenter).map { .versionChanged($0, change) }
        case .subitemVersionChanged(let path, let change):
            return name(path, for: presenter).map { .subitemVersionChanged($0, change) }
        }
    }
}

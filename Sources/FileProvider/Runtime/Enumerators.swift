import Foundation
import LinuxSystem

/// The enumerators of the containers that were asked for last: a provider makes one for each, and may keep in it what it needs
/// from page to page.
final class Enumerators: Sendable {
    /// More than these are let go of, those that were not used for longest first.
    private static let limit = 64

    /// Sendable because what is done with it is done by client code, for one question at a time.
    private struct Kept: @unchecked Sendable {
        let enumerator: any NSFileProviderEnumerator
        var lastUse: UInt64
    }

    private struct State {
        var kept: [String: Kept] = [:]
        var uses: UInt64 = 0
    }

    // Innermost: enumerators are made and let go of outside of it.
    private let state = Lock(State())

    /// The enumerator of a container. Client code makes it; the caller sees to it that nobody asks for the same one meanwhile.
    func enumerator(
        of container: String, from provider: any ServedProvider
    ) throws(ProviderFailure) -> any NSFileProviderEnumerator {
        let known = state.withLock { state in
            state.uses += 1
            state.kept[container]?.lastUse = state.uses
            return state.kept[container]
        }
        if let known { return known.enumerator }
        let made: any NSFileProviderEnumerator
        do {
            made = try provider.enumerator(of: container)
        } catch {
            throw ProviderFailure(error)
        }
        let kept = Kept(enumerator: made, lastUse: 0)
        let oldest = state.withLock { state -> Kept? in
            var kept = kept
            kept.lastUse = state.uses
            state.kept[container] = kept
            guard state.kept.count > Self.limit else { return nil }
            let oldest = state.kept.min { $0.value.lastUse < $1.value.lastUse }
            return oldest.flatMap { state.kept.removeValue(forKey: $0.key) }
        }
        oldest?.enumerator.invalidate()
        return made
    }

    /// Lets go of a container's enumerator: it failed, or did not finish.
    func drop(_ container: String) {
        let dropped = state.withLock { $0.kept.removeValue(forKey: container) }
        dropped?.enumerator.invalidate()
    }
}

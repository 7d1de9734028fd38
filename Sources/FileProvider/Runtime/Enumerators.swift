import FileProviderWire
import Foundation
import ItemValues
import LinuxSystem

/// A cache of enumerators, one per container. It is needed because a provider may keep state in an enumerator from page
/// to page.
final class Enumerators: Sendable {
    /// The maximum number of cached enumerators. The least recently used one is dropped first.
    private static let limit = 64

    /// A cached enumerator. Sendable because only provider code uses it, for one request at a time.
    private struct Kept: @unchecked Sendable {
        let enumerator: any NSFileProviderEnumerator
        var lastUse: UInt64
    }

    private struct State {
        var kept: [ExactText: Kept] = [:]
        var uses: UInt64 = 0
    }

    // Leaf lock: enumerators are made and invalidated outside of it.
    private let state = Lock(State())

    /// Returns the cached enumerator of a container, or a new one from the provider. The caller ensures that no two
    /// threads request the same container at once.
    func enumerator(
        of container: String, from provider: any ServedProvider
    ) throws(ProviderError) -> any NSFileProviderEnumerator {
        let key = ExactText(container)
        let known = state.withLock { state in
            state.uses += 1
            state.kept[key]?.lastUse = state.uses
            return state.kept[key]
        }
        if let known { return known.enumerator }
        let made: any NSFileProviderEnumerator
        do {
            made = try provider.enumerator(of: container)
        } catch {
            throw ProviderError(error)
        }
        let kept = Kept(enumerator: made, lastUse: 0)
        let oldest = state.withLock { state -> Kept? in
            var kept = kept
            kept.lastUse = state.uses
            state.kept[key] = kept
            guard state.kept.count > Self.limit else { return nil }
            let oldest = state.kept.min { $0.value.lastUse < $1.value.lastUse }
            return oldest.flatMap { state.kept.removeValue(forKey: $0.key) }
        }
        oldest?.enumerator.invalidate()
        return made
    }

    /// Drops a container's enumerator after it failed or did not finish.
    func drop(_ container: String) {
        let dropped = state.withLock { $0.kept.removeValue(forKey: ExactText(container)) }
        dropped?.enumerator.invalidate()
    }
}

import Foundation
import Glibc
import Synchronization

/// The declared types of this process: the current ``TypeSnapshot``, and the one place that replaces it.
///
/// Precedence: what the process itself declares (the property list of its main bundle, then ``register(declarations:)``),
/// what registered bundles export, what they import, the system's own types, and behind all of them the freedesktop
/// database, which is asked where nothing is declared.
///
/// Reading takes no lock. Changes of the folder of bundle records are looked for at most once a second, when somebody
/// looks a type up; ``reload()`` does it at once.
package enum TypeRegistry {
    /// Guards building. A snapshot is published while the lock is held, so the newest one always wins.
    private static let writer = Mutex(State())

    /// The current snapshot, retained for ever.
    ///
    /// A reader uses the pointer without taking a reference, so a snapshot that was ever published is never freed. One
    /// is only published when a declaration really changed, and shares what did not; a change costs a few kilobytes.
    private static let published = Atomic<Unmanaged<TypeSnapshot>>(
        Unmanaged.passRetained(writer.withLock { $0.load() }))

    /// When the folder of bundle records may be looked at again, in nanoseconds of the monotonic clock.
    private static let nextLook = Atomic<Int>(0)

    /// Calls `body` with the current snapshot.
    @inline(__always)
    package static func withCurrent<Result>(_ body: (TypeSnapshot) -> Result) -> Result {
        published.load(ordering: .acquiring)._withUnsafeGuaranteedRef { body($0) }
    }

    /// Reads the bundle records again, now.
    package static func reload() {
        withCurrent { _ in }
        writer.withLock { publish($0.load()) }
    }

    /// Declares types for this process alone, after those of its main bundle and before everybody else's.
    package static func register(declarations: [TypeDeclaration]) {
        withCurrent { _ in }
        writer.withLock { state in
            state.registered += declarations
            publish(state.load())
        }
    }

    /// Declares the types of a bundle that this process has loaded, from its `Info.plist`.
    ///
    /// - Returns: what had to be left out.
    @discardableResult
    package static func register(infoDictionary: [String: Any], source: String) -> [DeclarationFault] {
        let (declarations, faults) = TypeDeclaration.declarations(in: infoDictionary, source: source)
        register(declarations: declarations)
        return faults
    }

    /// Takes back what ``register(declarations:)`` declared.
    package static func unregisterAll() {
        withCurrent { _ in }
        writer.withLock { state in
            state.registered = []
            publish(state.load())
        }
    }

    /// The declarations and property lists that had to be left out, with the reason.
    package static var faults: [DeclarationFault] {
        withCurrent { $0.faults }
    }

    /// Looks at the folder of bundle records if that was not done within the last second, and reloads if it changed.
    static func refreshIfDue() {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &now)
        let time = now.tv_sec * 1_000_000_000 + now.tv_nsec
        let due = nextLook.load(ordering: .relaxed)
        guard time >= due else { return }
        // One thread looks; the others go on with the snapshot there is.
        guard nextLook.compareExchange(expected: due, desired: time + 1_000_000_000, ordering: .relaxed).exchanged
        else { return }
        withCurrent { _ in }
        writer.withLock { state in
            if BundleRecords.stamp(of: state.folder) != state.stamp {
                publish(state.load())
            }
        }
    }

    private static func publish(_ snapshot: TypeSnapshot) {
        let current = withCurrent { ($0.declarations, $0.faults) }
        guard current != (snapshot.declarations, snapshot.faults) else { return }
        published.store(Unmanaged.passRetained(snapshot), ordering: .releasing)
    }

    private struct State {
        var interned = InternedIdentities()
        var registered: [TypeDeclaration] = []
        var folder = ""
        var stamp: BundleRecords.Stamp?
        /// The main bundle's declarations do not change while the process runs.
        lazy var main = Bundle.main.infoDictionary.flatMap { info in
            info.isEmpty
                ? nil
                : TypeDeclaration.declarations(
                    in: info, source: Bundle.main.bundlePath + "/Info.plist", bundle: Bundle.main.bundleURL)
        }

        /// A snapshot of what is declared now.
        mutating func load() -> TypeSnapshot {
            folder = BundleRecords.folder()
            // Taken before reading: a change while we read then shows as a change afterwards. One that is too fresh to
            // be told from the next is not kept, so that the next look reads again.
            stamp = BundleRecords.stamp(of: folder)
            if let taken = stamp, taken.isFresh {
                stamp?.inode = 0
            }
            let records = BundleRecords(folder: folder)
            let own = (main?.declarations ?? []) + registered + records.own
            return TypeSnapshot(
                declarations: own.filter(\.isExported) + own.filter { !$0.isExported }
                    + records.others.filter(\.isExported) + records.others.filter { !$0.isExported },
                faults: (main?.faults ?? []) + records.faults, interned: &interned)
        }
    }
}

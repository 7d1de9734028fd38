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
    /// is only published when a declaration really changed, and shares the declarations and facts that did not. What
    /// is left are its tables: 16 KB, and some 100 to 200 bytes for each type that bundles declare, for every change.
    private static let published = Atomic<Unmanaged<TypeSnapshot>>(
        Unmanaged.passRetained(writer.withLock { $0.load(after: nil) }))

    /// When the folder of bundle records may be looked at again, in nanoseconds of the monotonic clock.
    private static let nextLook = Atomic<Int>(0)

    /// Calls `body` with the current snapshot.
    @inline(__always)
    package static func withCurrent<Result>(_ body: (TypeSnapshot) -> Result) -> Result {
        published.load(ordering: .acquiring)._withUnsafeGuaranteedRef { body($0) }
    }

    /// Reads the bundle records again, now.
    package static func reload() {
        change { _ in }
    }

    /// Declares types for this process alone, after those of its main bundle and before everybody else's.
    package static func register(declarations: [TypeDeclaration]) {
        change { $0.registered += declarations }
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
        change { $0.registered = [] }
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
        change(if: { BundleRecords.stamp(of: $0.folder) != $0.stamp }) { _ in }
    }

    /// Changes the state, if that is called for, and publishes what then is declared.
    private static func change(if isDue: (State) -> Bool = { _ in true }, _ body: (inout State) -> Void) {
        // The first snapshot is made under the lock, so not while this holds it.
        withCurrent { _ in }
        writer.withLock { state in
            guard isDue(state) else { return }
            body(&state)
            let current = withCurrent { $0 }
            publish(state.load(after: current), after: current)
        }
    }

    private static func publish(_ snapshot: TypeSnapshot, after current: TypeSnapshot) {
        guard (current.declarations, current.faults) != (snapshot.declarations, snapshot.faults) else { return }
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
        mutating func load(after previous: TypeSnapshot?) -> TypeSnapshot {
            let records: BundleRecords
            do throws(DeclarationFault) {
                folder = try BundleRecords.folder()
                records = look()
            } catch {
                // Whoever set the variable does not want the user's own bundles.
                (folder, stamp) = ("", nil)
                records = BundleRecords(fault: error)
            }
            let own = (main?.declarations ?? []) + registered + records.own
            return TypeSnapshot(
                declarations: own.filter(\.isExported) + own.filter { !$0.isExported }
                    + records.others.filter(\.isExported) + records.others.filter { !$0.isExported },
                faults: (main?.faults ?? []) + records.faults, interned: &interned, previous: previous)
        }

        private mutating func look() -> BundleRecords {
            // Taken before reading: a change while we read then shows as a change afterwards. One that is too fresh to
            // be told from the next is not kept, so that the next look reads again.
            stamp = BundleRecords.stamp(of: folder)
            if let taken = stamp, taken.isFresh {
                stamp?.inode = 0
            }
            return BundleRecords(folder: folder)
        }
    }
}

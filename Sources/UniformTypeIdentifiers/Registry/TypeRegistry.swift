import Foundation
import Glibc
import Synchronization

/// The declared types of this process: the current ``TypeSnapshot``, and the one place that replaces it.
///
/// Precedence: what the process itself declares (the property list of its main bundle, then ``register(declarations:)``),
/// what registered bundles export, what they import, the system's own types, what any of them adds to a type of the
/// system, the types of collections that the process asks for, and behind all of them the freedesktop database, which is
/// asked where nothing is declared.
///
/// Reading takes no lock. Changes of the folder of bundle records are looked for at most once a second, when somebody
/// looks a type up; ``reload()`` does it at once.
package enum TypeRegistry {
    /// Guards building. A snapshot is published while the lock is held, so the newest one always wins.
    private static let writer = Mutex(State())

    /// The current snapshot, retained for ever.
    ///
    /// A reader uses the pointer without taking a reference, so a snapshot that was ever published is never freed. One
    /// is only published when a declaration really changed, and shares declarations, facts and tables that did not. What
    /// a change costs for good are 10 KB, some 100 bytes for each type that bundles declare, and some 100 more if it
    /// changed tags: 60 to 120 KB where bundles declare 500 types. Programs see a few changes in their lives.
    private static let published = Atomic<Unmanaged<TypeSnapshot>>(
        Unmanaged.passRetained(
            writer.withLock { state in
                _ = state.read()
                return state.snapshot(after: nil)
            }))

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

    /// Declares the types of a collection for this process alone, behind all others. Does nothing the second time.
    static func register(_ collection: UTTypeCollection) {
        change { $0.collections.insert(collection) }
    }

    /// Takes back what ``register(declarations:)`` declared, and the collections.
    package static func unregisterAll() {
        change { state in
            state.registered = []
            state.collections = []
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
        change(if: { BundleRecords.stamp(of: $0.folder) != $0.stamp }) { _ in }
    }

    /// Changes the state, if that is called for, and publishes what then is declared.
    private static func change(if isDue: (State) -> Bool = { _ in true }, _ body: (inout State) -> Void) {
        // The first snapshot is made under the lock, so not while this holds it.
        withCurrent { _ in }
        writer.withLock { state in
            guard isDue(state) else { return }
            body(&state)
            guard state.read() else { return }
            published.store(Unmanaged.passRetained(state.snapshot(after: withCurrent { $0 })), ordering: .releasing)
        }
    }

    private struct State {
        var interned = InternedIdentities()
        var registered: [TypeDeclaration] = []
        var collections: Set<UTTypeCollection> = []
        var folder = ""
        var stamp: BundleRecords.Stamp?
        /// The main bundle's declarations do not change while the process runs.
        lazy var main = Bundle.main.infoDictionary.flatMap { info in
            info.isEmpty
                ? nil
                : TypeDeclaration.declarations(
                    in: info, source: Bundle.main.bundlePath + "/Info.plist", bundle: Bundle.main.bundleURL)
        }

        /// What is declared, in order of precedence.
        private var declarations: [TypeDeclaration] = []
        private var faults: [DeclarationFault] = []

        /// A snapshot of what was declared when that was last read.
        mutating func snapshot(after previous: TypeSnapshot?) -> TypeSnapshot {
            TypeSnapshot(declarations: declarations, faults: faults, interned: &interned, previous: previous)
        }

        /// Reads what is declared now, and says whether that is something else than before.
        mutating func read() -> Bool {
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
            let found =
                own.filter(\.isExported) + own.filter { !$0.isExported }
                + records.others.filter(\.isExported) + records.others.filter { !$0.isExported }
                + UTTypeCollection.allCases.filter(collections.contains).flatMap(\.declarations)
            let foundFaults = (main?.faults ?? []) + records.faults
            guard (found, foundFaults) != (declarations, faults) else { return false }
            declarations = sharing(found)
            faults = foundFaults
            return true
        }

        /// These declarations, with those that were there before in the memory that facts made of them share.
        private func sharing(_ found: [TypeDeclaration]) -> [TypeDeclaration] {
            var known: [String: [TypeDeclaration]] = [:]
            for declaration in declarations { known[declaration.identifier, default: []].append(declaration) }
            return found.map { declaration in
                known[declaration.identifier]?.first { $0 == declaration } ?? declaration
            }
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

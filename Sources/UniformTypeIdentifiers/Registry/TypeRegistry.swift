import Foundation
import Glibc
import Synchronization

/// The declared types of this process. Only this type replaces the current ``TypeSnapshot``.
///
/// The sources of types and tags, in order of precedence:
///
/// - the process itself, exports before imports: the property list of its main bundle, ``register(declarations:)``, and
///   the record of its bundle
/// - exports of registered bundles, then their imports
/// - the system's own types
/// - tags that the process or a bundle adds to a type of the system
/// - types of collections that the process loads
/// - the freedesktop database, for types that are not declared
///
/// Reading takes no lock. A look-up checks the directory of bundle records for changes at most once a second;
/// ``reload()`` does so at once.
package enum TypeRegistry {
    /// The lock under which snapshots are built. A snapshot is published while the lock is held, so that the newest
    /// snapshot is always published last.
    private static let writer = Mutex(State())

    /// The current snapshot, retained for ever.
    ///
    /// A reader uses the pointer without taking a reference, so a published snapshot is never freed. A snapshot is
    /// published only when a declaration really changed, and shares unchanged declarations, properties and tables. Each
    /// change permanently uses 10 KB, about 100 bytes for each type that bundles declare, and about 100 bytes more for
    /// each of these types if tags have changed. If bundles declare 500 types, this amounts to 60 to 120 KB. A process
    /// sees only a few changes.
    private static let published = Atomic<Unmanaged<TypeSnapshot>>(
        Unmanaged.passRetained(
            writer.withLock { state in
                _ = state.read()
                return state.snapshot(after: nil)
            }))

    /// The earliest time of the next check of the directory of bundle records, in nanoseconds of the monotonic clock.
    private static let nextLook = Atomic<Int>(0)

    /// Calls `body` with the current snapshot.
    @inline(__always)
    package static func withCurrent<Result>(_ body: (TypeSnapshot) -> Result) -> Result {
        published.load(ordering: .acquiring)._withUnsafeGuaranteedRef { body($0) }
    }

    /// Reads the bundle records again, immediately.
    package static func reload() {
        change { _ in }
    }

    /// Declares types for this process alone, after those of its main bundle and before all others.
    package static func register(declarations: [TypeDeclaration]) {
        change { $0.registered += declarations }
    }

    /// Declares the types of a bundle that this process has loaded, from its `Info.plist`.
    ///
    /// - Returns: the declarations that were left out, with the reason.
    @discardableResult
    package static func register(infoDictionary: [String: Any], source: String) -> [DeclarationError] {
        let (declarations, faults) = TypeDeclaration.declarations(in: infoDictionary, source: source)
        register(declarations: declarations)
        return faults
    }

    /// Declares the types of a collection for this process alone, after all other types. Does nothing if the collection
    /// was registered before.
    static func register(_ collection: UTTypeCollection) {
        change { $0.collections.insert(collection) }
    }

    /// Withdraws the declarations that ``register(declarations:)`` and the collections have added.
    package static func unregisterAll() {
        change { state in
            state.registered = []
            state.collections = []
        }
    }

    /// The declarations and property lists that were left out, with the reason.
    package static var faults: [DeclarationError] {
        withCurrent { $0.faults }
    }

    /// Checks the directory of bundle records, unless it was checked within the last second. Reads the records again if
    /// the directory has changed.
    static func refreshIfDue() {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &now)
        let time = now.tv_sec * 1_000_000_000 + now.tv_nsec
        let due = nextLook.load(ordering: .relaxed)
        guard time >= due else { return }
        // One thread checks; the others use the current snapshot meanwhile.
        guard nextLook.compareExchange(expected: due, desired: time + 1_000_000_000, ordering: .relaxed).exchanged
        else { return }
        change(if: { BundleRecords.stamp(of: $0.folder) != $0.stamp }) { _ in }
    }

    /// Changes the state, if a change is due, and publishes a new snapshot if the declarations differ.
    private static func change(if isDue: (State) -> Bool = { _ in true }, _ body: (inout State) -> Void) {
        // The first snapshot is made under the lock, so it must exist before this function takes the lock.
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
        /// The declarations of the main bundle. They are read once, because they do not change while the process runs.
        lazy var main = Bundle.main.infoDictionary.flatMap { info in
            info.isEmpty
                ? nil
                : TypeDeclaration.declarations(
                    in: info, source: Bundle.main.bundlePath + "/Info.plist", bundle: Bundle.main.bundleURL)
        }

        /// The declarations, in order of precedence.
        private var declarations: [TypeDeclaration] = []
        private var faults: [DeclarationError] = []

        /// Returns a snapshot of the declarations as last read.
        mutating func snapshot(after previous: TypeSnapshot?) -> TypeSnapshot {
            TypeSnapshot(declarations: declarations, faults: faults, interned: &interned, previous: previous)
        }

        /// Reads the present declarations. Returns whether they have changed.
        mutating func read() -> Bool {
            let records: BundleRecords
            do throws(DeclarationError) {
                folder = try BundleRecords.folder()
                records = look()
            } catch {
                // Does not fall back to the default directory, because a user who sets `PURVEY_HOME` does not want it.
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

        /// Returns the given declarations. Each one that equals an element of ``declarations`` is replaced by this
        /// element, so that the properties of the old and new snapshot share memory.
        private func sharing(_ found: [TypeDeclaration]) -> [TypeDeclaration] {
            var known: [String: [TypeDeclaration]] = [:]
            for declaration in declarations { known[declaration.identifier, default: []].append(declaration) }
            return found.map { declaration in
                known[declaration.identifier]?.first { $0 == declaration } ?? declaration
            }
        }

        private mutating func look() -> BundleRecords {
            // The stamp is taken before reading, so that the next check detects a change during the reading. A stamp is
            // invalidated if it is so recent that another change could leave the same stamp. The next check then reads
            // again.
            stamp = BundleRecords.stamp(of: folder)
            if let taken = stamp, taken.isFresh {
                stamp?.inode = 0
            }
            return BundleRecords(folder: folder)
        }
    }
}

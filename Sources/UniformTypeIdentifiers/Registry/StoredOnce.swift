import Synchronization

/// A reference that is stored at most once and then stays: what an `AtomicLazyReference` is, in a form that the compiler
/// can inline. (That one calls into its library and asks the runtime for metadata, ten times the cost of the load.)
struct StoredOnce<Instance: AnyObject & Sendable>: ~Copyable, Sendable {
    private let storage = Atomic<Unmanaged<Instance>?>(nil)

    deinit {
        storage.load(ordering: .acquiring)?.release()
    }

    /// What was stored. Valid as long as this is, because what was stored is never replaced.
    @inline(__always)
    func load() -> Instance? {
        storage.load(ordering: .acquiring)?.takeUnretainedValue()
    }

    /// Stores `instance`, unless something is stored; returns what is stored then.
    func storeIfNil(_ instance: Instance) -> Instance {
        let retained = Unmanaged.passRetained(instance)
        let (exchanged, original) = storage.compareExchange(
            expected: nil, desired: retained, ordering: .acquiringAndReleasing)
        if exchanged {
            return instance
        }
        retained.release()
        return original?.takeUnretainedValue() ?? instance
    }
}

import Synchronization

/// A reference that is stored at most once and then stays. It is an `AtomicLazyReference` that the compiler can
/// inline. (`AtomicLazyReference` calls into its library and asks the runtime for metadata, ten times the cost of the
/// load.)
struct StoredOnce<Instance: AnyObject & Sendable>: ~Copyable, Sendable {
    private let storage = Atomic<Unmanaged<Instance>?>(nil)

    deinit {
        storage.load(ordering: .acquiring)?.release()
    }

    /// Returns the stored instance. It is valid as long as this value, because it is never replaced.
    @inline(__always)
    func load() -> Instance? {
        storage.load(ordering: .acquiring)?.takeUnretainedValue()
    }

    /// Stores `instance`, unless another one is stored. Returns the stored one.
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

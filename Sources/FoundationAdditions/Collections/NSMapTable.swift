import Foundation

/// A dictionary from objects to objects, either of which it may keep or not: an entry goes when one of its objects does.
///
/// Like Apple's, it may be used by one thread at a time.
///
/// Source: Foundation, `NSMapTable.h`.
open class NSMapTable<KeyType: AnyObject, ObjectType: AnyObject>: NSObject {
    private struct Entry {
        let key: HeldObject<KeyType>
        let value: HeldObject<ObjectType>

        var objects: (key: KeyType, value: ObjectType)? {
            guard let key = key.object, let value = value.object else { return nil }
            return (key, value)
        }
    }

    private let keyOptions: NSPointerFunctions.Options
    private let valueOptions: NSPointerFunctions.Options
    private var buckets: [Int: [Entry]] = [:]
    /// The number of additions until entries are swept whose objects went.
    private var additionsUntilSweep = 32

    /// A table with these options.
    ///
    /// - Parameter initialCapacity: makes no difference.
    public required init(
        keyOptions: NSPointerFunctions.Options = [], valueOptions: NSPointerFunctions.Options = [],
        capacity initialCapacity: Int = 0
    ) {
        self.keyOptions = keyOptions
        self.valueOptions = valueOptions
        super.init()
    }

    /// A table that keeps its keys and values.
    public override convenience init() { self.init(keyOptions: []) }

    /// Makes a table that keeps its keys and values.
    public class func strongToStrongObjects() -> NSMapTable<KeyType, ObjectType> { NSMapTable() }
    /// Makes a table that keeps its values, each as long as the key is there.
    public class func weakToStrongObjects() -> NSMapTable<KeyType, ObjectType> { NSMapTable(keyOptions: .weakMemory) }
    /// Makes a table that keeps its keys, each as long as the value is there.
    public class func strongToWeakObjects() -> NSMapTable<KeyType, ObjectType> {
        NSMapTable(valueOptions: .weakMemory)
    }
    /// Makes a table that keeps neither keys nor values.
    public class func weakToWeakObjects() -> NSMapTable<KeyType, ObjectType> {
        NSMapTable(keyOptions: .weakMemory, valueOptions: .weakMemory)
    }

    private var entries: [(key: KeyType, value: ObjectType)] { buckets.values.joined().compactMap(\.objects) }

    /// The number of entries whose objects are there.
    open var count: Int { entries.count }

    /// Returns the value of a key.
    open func object(forKey aKey: KeyType?) -> ObjectType? {
        guard let aKey else { return nil }
        return buckets[keyOptions.hash(of: aKey)]?.lazy.compactMap(\.objects)
            .first { keyOptions.areEqual($0.key, aKey) }?.value
    }

    /// Sets the value of a key; nil removes it.
    open func setObject(_ anObject: ObjectType?, forKey aKey: KeyType?) {
        guard let aKey else { return }
        removeObject(forKey: aKey)
        guard let anObject else { return }
        sweepIfDue()
        buckets[keyOptions.hash(of: aKey), default: []].append(
            Entry(key: HeldObject(aKey, keyOptions), value: HeldObject(anObject, valueOptions)))
    }

    /// Removes a key and its value.
    open func removeObject(forKey aKey: KeyType?) {
        guard let aKey else { return }
        let hash = keyOptions.hash(of: aKey)
        buckets[hash]?.removeAll { entry in entry.objects.map { keyOptions.areEqual($0.key, aKey) } ?? true }
        if buckets[hash]?.isEmpty == true { buckets[hash] = nil }
    }

    /// Removes all entries.
    open func removeAllObjects() { buckets = [:] }

    /// Returns the keys one by one.
    open func keyEnumerator() -> NSEnumerator { RemainingObjects(entries.map(\.key)) }
    /// Returns the values one by one; nil of an empty table.
    open func objectEnumerator() -> NSEnumerator? {
        let values = entries.map(\.value)
        return values.isEmpty ? nil : RemainingObjects(values)
    }

    /// Returns the entries, as a dictionary that keeps them.
    open func dictionaryRepresentation() -> [AnyHashable: ObjectType] {
        let pairs = entries.compactMap { key, value in (key as? AnyHashable).map { ($0, value) } }
        return Dictionary(pairs) { first, _ in first }
    }

    /// Drops entries whose objects went, after as many additions as entries remained the last time.
    private func sweepIfDue() {
        guard keyOptions.contains(.weakMemory) || valueOptions.contains(.weakMemory) else { return }
        additionsUntilSweep -= 1
        guard additionsUntilSweep <= 0 else { return }
        buckets = buckets.compactMapValues { bucket in
            let left = bucket.filter { $0.objects != nil }
            return left.isEmpty ? nil : left
        }
        additionsUntilSweep = max(32, buckets.count)
    }
}

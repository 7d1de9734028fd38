import Foundation

/// A dictionary from objects to objects, each with strong or weak references. An entry is removed when one of its
/// objects is destroyed.
///
/// As on Apple's platforms, only one thread may use the table at a time.
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
    /// The number of further additions after which the entries with destroyed objects are removed.
    private var additionsUntilSweep = 32

    /// Creates a table with options.
    ///
    /// - Parameter initialCapacity: ignored.
    public required init(
        keyOptions: NSPointerFunctions.Options = [], valueOptions: NSPointerFunctions.Options = [],
        capacity initialCapacity: Int = 0
    ) {
        self.keyOptions = keyOptions
        self.valueOptions = valueOptions
        super.init()
    }

    /// Creates a table with strong references to keys and values.
    public override convenience init() { self.init(keyOptions: []) }

    /// Returns a new table with strong references to keys and values.
    public class func strongToStrongObjects() -> NSMapTable<KeyType, ObjectType> { NSMapTable() }
    /// Returns a new table with weak references to keys and strong references to values.
    public class func weakToStrongObjects() -> NSMapTable<KeyType, ObjectType> { NSMapTable(keyOptions: .weakMemory) }
    /// Returns a new table with strong references to keys and weak references to values.
    public class func strongToWeakObjects() -> NSMapTable<KeyType, ObjectType> {
        NSMapTable(valueOptions: .weakMemory)
    }
    /// Returns a new table with weak references to keys and values.
    public class func weakToWeakObjects() -> NSMapTable<KeyType, ObjectType> {
        NSMapTable(keyOptions: .weakMemory, valueOptions: .weakMemory)
    }

    private var entries: [(key: KeyType, value: ObjectType)] { buckets.values.joined().compactMap(\.objects) }

    /// The number of entries whose objects both exist.
    open var count: Int { entries.count }

    /// Returns the value of a key; `nil` if the table does not have the key.
    open func object(forKey aKey: KeyType?) -> ObjectType? {
        guard let aKey else { return nil }
        return buckets[keyOptions.hash(of: aKey)]?.lazy.compactMap(\.objects)
            .first { keyOptions.areEqual($0.key, aKey) }?.value
    }

    /// Sets the value of a key. The value `nil` removes the entry.
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

    /// Returns an enumerator of the keys.
    open func keyEnumerator() -> NSEnumerator { RemainingObjects(entries.map(\.key)) }
    /// Returns an enumerator of the values, or `nil` if the table is empty.
    open func objectEnumerator() -> NSEnumerator? {
        let values = entries.map(\.value)
        return values.isEmpty ? nil : RemainingObjects(values)
    }

    /// Returns the entries, as a dictionary with strong references.
    open func dictionaryRepresentation() -> [AnyHashable: ObjectType] {
        let pairs = entries.compactMap { key, value in (key as? AnyHashable).map { ($0, value) } }
        return Dictionary(pairs) { first, _ in first }
    }

    /// Counts an addition, and removes the entries with destroyed objects from time to time. The next removal is due
    /// after as many additions as entries remain, but at least 32. Therefore the average cost of an addition is
    /// constant.
    private func sweepIfDue() {
        guard keyOptions.contains(.weakMemory) || valueOptions.contains(.weakMemory) else { return }
        additionsUntilSweep -= 1
        guard additionsUntilSweep <= 0 else { return }
        buckets = buckets.compactMapValues { bucket in
            let left = bucket.filter { $0.objects != nil }
            return left.isEmpty ? nil : left
        }
        additionsUntilSweep = max(32, buckets.values.reduce(0) { $0 + $1.count })
    }
}

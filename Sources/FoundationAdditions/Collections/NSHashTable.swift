import Foundation

/// A set of objects with strong or weak references. A weakly referenced object is removed when it is destroyed.
///
/// As on Apple's platforms, only one thread may use the table at a time.
///
/// Source: Foundation, `NSHashTable.h`.
open class NSHashTable<ObjectType: AnyObject>: NSObject {
    private let options: NSPointerFunctions.Options
    private var buckets: [Int: [HeldObject<ObjectType>]] = [:]
    /// The number of further additions after which the entries of destroyed objects are removed.
    private var additionsUntilSweep = 32

    /// Creates a table with options.
    ///
    /// - Parameter initialCapacity: ignored.
    public required init(options: NSPointerFunctions.Options = [], capacity initialCapacity: Int = 0) {
        self.options = options
        super.init()
    }

    /// Creates a table with strong references.
    public override convenience init() { self.init(options: []) }

    /// Returns a new table with weak references.
    public class func weakObjects() -> NSHashTable<ObjectType> { NSHashTable(options: .weakMemory) }

    /// The objects of the table, in no order.
    open var allObjects: [ObjectType] { buckets.values.joined().compactMap(\.object) }
    /// The number of objects.
    open var count: Int { allObjects.count }
    /// Any of the objects.
    open var anyObject: ObjectType? { allObjects.first }
    /// The objects, as a set with strong references.
    open var setRepresentation: Set<AnyHashable> { Set(allObjects.compactMap { $0 as? AnyHashable }) }

    /// Returns the object of the table that is equal to the given object; `nil` if there is none.
    open func member(_ object: ObjectType?) -> ObjectType? {
        guard let object else { return nil }
        return buckets[options.hash(of: object)]?.lazy.compactMap(\.object).first { options.areEqual($0, object) }
    }

    /// Whether the table has an object that is equal to the given object.
    open func contains(_ anObject: ObjectType?) -> Bool { member(anObject) != nil }

    /// Adds an object, unless the table has an equal one.
    open func add(_ object: ObjectType?) {
        guard let object, !contains(object) else { return }
        sweepIfDue()
        buckets[options.hash(of: object), default: []].append(HeldObject(object, options))
    }

    /// Removes the object that is equal to the given object.
    open func remove(_ object: ObjectType?) {
        guard let object else { return }
        let hash = options.hash(of: object)
        buckets[hash]?.removeAll { held in held.object.map { options.areEqual($0, object) } ?? true }
        if buckets[hash]?.isEmpty == true { buckets[hash] = nil }
    }

    /// Removes all objects.
    open func removeAllObjects() { buckets = [:] }

    /// Returns an enumerator of the objects.
    open func objectEnumerator() -> NSEnumerator { RemainingObjects(allObjects) }

    /// Adds the objects of the table `other`.
    open func union(_ other: NSHashTable<ObjectType>) { other.allObjects.forEach(add) }
    /// Removes the objects of the table `other`.
    open func minus(_ other: NSHashTable<ObjectType>) { other.allObjects.forEach(remove) }
    /// Removes all objects that are not in the table `other`.
    open func intersect(_ other: NSHashTable<ObjectType>) {
        allObjects.filter { !other.contains($0) }.forEach(remove)
    }
    /// Whether the tables have an object in common.
    open func intersects(_ other: NSHashTable<ObjectType>) -> Bool { allObjects.contains { other.contains($0) } }
    /// Whether the table `other` has all objects of this table.
    open func isSubset(of other: NSHashTable<ObjectType>) -> Bool { allObjects.allSatisfy { other.contains($0) } }
    /// Whether the tables have the same objects.
    open func isEqual(to other: NSHashTable<ObjectType>) -> Bool { count == other.count && isSubset(of: other) }

    /// Counts an addition, and removes the entries of destroyed objects from time to time. The next removal is due
    /// after as many additions as entries remain, but at least 32. Therefore the average cost of an addition is
    /// constant.
    private func sweepIfDue() {
        guard options.contains(.weakMemory) else { return }
        additionsUntilSweep -= 1
        guard additionsUntilSweep <= 0 else { return }
        buckets = buckets.compactMapValues { bucket in
            let left = bucket.filter { $0.object != nil }
            return left.isEmpty ? nil : left
        }
        additionsUntilSweep = max(32, buckets.values.reduce(0) { $0 + $1.count })
    }
}

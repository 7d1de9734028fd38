import Foundation

/// A set of objects that it may keep or not: of those that it does not keep, the ones that are still there.
///
/// Like Apple's, it may be used by one thread at a time.
///
/// Source: Foundation, `NSHashTable.h`.
open class NSHashTable<ObjectType: AnyObject>: NSObject {
    private let options: NSPointerFunctions.Options
    private var buckets: [Int: [HeldObject<ObjectType>]] = [:]
    /// The number of additions until objects that went are swept.
    private var additionsUntilSweep = 32

    /// A table with these options.
    ///
    /// - Parameter initialCapacity: makes no difference.
    public required init(options: NSPointerFunctions.Options = [], capacity initialCapacity: Int = 0) {
        self.options = options
        super.init()
    }

    /// A table that keeps its objects.
    public override convenience init() { self.init(options: []) }

    /// Makes a table that does not keep its objects.
    public class func weakObjects() -> NSHashTable<ObjectType> { NSHashTable(options: .weakMemory) }

    /// The objects that are there, in no order.
    open var allObjects: [ObjectType] { buckets.values.joined().compactMap(\.object) }
    /// The number of objects that are there.
    open var count: Int { allObjects.count }
    /// One of the objects.
    open var anyObject: ObjectType? { allObjects.first }
    /// The objects, as a set that keeps them.
    open var setRepresentation: Set<AnyHashable> { Set(allObjects.compactMap { $0 as? AnyHashable }) }

    /// Returns the object of the table that is equal to this one.
    open func member(_ object: ObjectType?) -> ObjectType? {
        guard let object else { return nil }
        return buckets[options.hash(of: object)]?.lazy.compactMap(\.object).first { options.areEqual($0, object) }
    }

    /// Returns whether an object is in the table.
    open func contains(_ anObject: ObjectType?) -> Bool { member(anObject) != nil }

    /// Adds an object, unless one is there that is equal.
    open func add(_ object: ObjectType?) {
        guard let object, !contains(object) else { return }
        sweepIfDue()
        buckets[options.hash(of: object), default: []].append(HeldObject(object, options))
    }

    /// Removes an object.
    open func remove(_ object: ObjectType?) {
        guard let object else { return }
        let hash = options.hash(of: object)
        buckets[hash]?.removeAll { held in held.object.map { options.areEqual($0, object) } ?? true }
        if buckets[hash]?.isEmpty == true { buckets[hash] = nil }
    }

    /// Removes all objects.
    open func removeAllObjects() { buckets = [:] }

    /// Returns the objects one by one.
    open func objectEnumerator() -> NSEnumerator { RemainingObjects(allObjects) }

    /// Adds the objects of another table.
    open func union(_ other: NSHashTable<ObjectType>) { other.allObjects.forEach(add) }
    /// Removes the objects of another table.
    open func minus(_ other: NSHashTable<ObjectType>) { other.allObjects.forEach(remove) }
    /// Removes the objects that another table does not have.
    open func intersect(_ other: NSHashTable<ObjectType>) {
        allObjects.filter { !other.contains($0) }.forEach(remove)
    }
    /// Returns whether the tables have an object in common.
    open func intersects(_ other: NSHashTable<ObjectType>) -> Bool { allObjects.contains { other.contains($0) } }
    /// Returns whether another table has all objects of this one.
    open func isSubset(of other: NSHashTable<ObjectType>) -> Bool { allObjects.allSatisfy { other.contains($0) } }
    /// Returns whether the tables have the same objects.
    open func isEqual(to other: NSHashTable<ObjectType>) -> Bool { count == other.count && isSubset(of: other) }

    /// Drops what objects that went have left behind, after as many additions as objects remained the last time.
    private func sweepIfDue() {
        guard options.contains(.weakMemory) else { return }
        additionsUntilSweep -= 1
        guard additionsUntilSweep <= 0 else { return }
        buckets = buckets.compactMapValues { bucket in
            let left = bucket.filter { $0.object != nil }
            return left.isEmpty ? nil : left
        }
        additionsUntilSweep = max(32, buckets.count)
    }
}

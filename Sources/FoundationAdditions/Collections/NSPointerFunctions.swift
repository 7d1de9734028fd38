import Foundation

/// The ways in which a table references and compares its objects.
///
/// Source: Foundation, `NSPointerFunctions.h`. Only the part about objects is implemented.
public enum NSPointerFunctions {
    /// Options of a table.
    public struct Options: OptionSet, Sendable {
        /// The options as bits, with the same values as on Apple's platforms.
        public let rawValue: UInt
        /// Creates options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The table references its objects strongly.
        public static var strongMemory: Options { [] }
        /// The table references its objects weakly. A destroyed object is no longer in the table.
        public static let weakMemory = Options(rawValue: 5)
        /// Objects are compared by `isEqual(_:)` and `hash`.
        public static var objectPersonality: Options { [] }
        /// Objects are compared by identity.
        public static let objectPointerPersonality = Options(rawValue: 1 << 8)
        /// Objects are copied before the table stores them.
        public static let copyIn = Options(rawValue: 1 << 16)
    }
}

/// Options of an ``NSHashTable``.
public typealias NSHashTableOptions = NSPointerFunctions.Options
/// Options of an ``NSMapTable``.
public typealias NSMapTableOptions = NSPointerFunctions.Options

/// A strong or weak reference to an object of a table.
struct HeldObject<Object: AnyObject> {
    private weak var weakObject: Object?
    private let strongObject: Object?

    init(_ object: Object, _ options: NSPointerFunctions.Options) {
        // A weak reference is created only if needed, because it permanently slows down the reference counting of its
        // object.
        if options.contains(.weakMemory) {
            strongObject = nil
            weakObject = object
        } else {
            strongObject = options.contains(.copyIn) ? (object as? any NSCopying)?.copy() as? Object ?? object : object
        }
    }

    var object: Object? { strongObject ?? weakObject }
}

extension NSPointerFunctions.Options {
    /// Returns the hash value that a table with these options uses for an object.
    func hash(of object: AnyObject) -> Int {
        if !contains(.objectPointerPersonality), let object = object as? NSObject { return object.hash }
        return ObjectIdentifier(object).hashValue
    }

    /// Whether a table with these options treats two objects as equal.
    func areEqual(_ one: AnyObject, _ other: AnyObject) -> Bool {
        if one === other { return true }
        guard !contains(.objectPointerPersonality), let one = one as? NSObject else { return false }
        return one.isEqual(other)
    }
}

/// An enumerator of an array of objects.
final class RemainingObjects: NSEnumerator {
    private var rest: ArraySlice<AnyObject>

    init(_ objects: [AnyObject]) { rest = objects[...] }

    override func nextObject() -> Any? { rest.popFirst() }
}

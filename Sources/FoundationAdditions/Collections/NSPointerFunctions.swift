import Foundation

/// The ways in which a table keeps its objects and tells them apart.
///
/// Source: Foundation, `NSPointerFunctions.h`. Only what concerns objects is here.
public enum NSPointerFunctions {
    /// Options of a table.
    public struct Options: OptionSet, Sendable {
        /// As Apple's system numbers them.
        public let rawValue: UInt
        /// Options by their numbers.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The table keeps its objects.
        public static var strongMemory: Options { [] }
        /// The table does not keep its objects: one that goes is no longer in it.
        public static let weakMemory = Options(rawValue: 5)
        /// Objects are told apart by `isEqual(_:)` and `hash`.
        public static var objectPersonality: Options { [] }
        /// Objects are told apart by what they are.
        public static let objectPointerPersonality = Options(rawValue: 1 << 8)
        /// Objects are copied before the table keeps them.
        public static let copyIn = Options(rawValue: 1 << 16)
    }
}

/// Options of an ``NSHashTable``.
public typealias NSHashTableOptions = NSPointerFunctions.Options
/// Options of an ``NSMapTable``.
public typealias NSMapTableOptions = NSPointerFunctions.Options

/// An object in a table, kept or not.
struct HeldObject<Object: AnyObject> {
    private weak var weakObject: Object?
    private let strongObject: Object?

    init(_ object: Object, _ options: NSPointerFunctions.Options) {
        // A weak reference is made only where it is needed: one slows its object down for good.
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
    /// Returns the number under which a table keeps an object.
    func hash(of object: AnyObject) -> Int {
        if !contains(.objectPointerPersonality), let object = object as? NSObject { return object.hash }
        return ObjectIdentifier(object).hashValue
    }

    /// Returns whether two objects are one to a table.
    func areEqual(_ one: AnyObject, _ other: AnyObject) -> Bool {
        if one === other { return true }
        guard !contains(.objectPointerPersonality), let one = one as? NSObject else { return false }
        return one.isEqual(other)
    }
}

/// The rest of a list of objects.
final class RemainingObjects: NSEnumerator {
    private var rest: ArraySlice<AnyObject>

    init(_ objects: [AnyObject]) { rest = objects[...] }

    override func nextObject() -> Any? { rest.popFirst() }
}

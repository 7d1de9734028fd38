import Foundation
import PropertyLists

/// A writer of keyed archives of plain values and collections of them, as `NSKeyedUnarchiver` reads them.
///
/// Foundation's own archiver on Linux is not used, because it identifies objects by a dictionary whose keys are the
/// objects. Some equal objects have different hashes, which occasionally ends the process ("Duplicate keys of type
/// 'AnyHashable'"). In addition, a Boolean is archived as the number 1 if an equal number precedes it.
struct PlainArchive {
    private var writer = BinaryPropertyListWriter()
    /// The archive's objects in order, as indices of the property list's objects. The first object represents `nil`.
    private var objects: [Int] = []
    /// The position of each class's description among the archive's objects, by the name of the class.
    private var classes: [String: Int] = [:]

    /// Archives a value.
    ///
    /// - Returns: `nil` for a value that is not entirely plain, or nested too deeply.
    static func archive(_ value: Any) -> Data? {
        var archive = PlainArchive()
        archive.objects = [archive.writer.add(text: "$null")]
        guard let root = archive.add(value, depth: 0) else { return nil }
        return archive.finish(root)
    }

    private consuming func finish(_ root: Int) -> Data {
        var (writer, objects) = (writer, objects)
        let top = writer.add(dictionary: [(writer.add(text: "root"), writer.add(uid: root))])
        let list = writer.add(array: objects)
        objects = []
        let parts: [(String, Int)] = [
            ("$version", writer.add(integer: 100_000)), ("$archiver", writer.add(text: "NSKeyedArchiver")),
            ("$top", top), ("$objects", list),
        ]
        _ = writer.add(dictionary: parts.map { (writer.add(text: $0), $1) })
        return writer.finish()
    }

    /// Adds a value, and returns its index in the archive.
    private mutating func add(_ value: Any, depth: Int) -> Int? {
        guard depth < KeyedArchiveStructure.deepest else { return nil }
        switch value as AnyObject {
        case let text as NSString: return append(writer.add(text: text as String))
        case let data as NSData: return append(writer.add(data: Data(referencing: data)))
        case let number as NSNumber: return append(add(number))
        case let date as NSDate:
            return append("NSDate", [("NS.time", writer.add(real: date.timeIntervalSinceReferenceDate))])
        case let uuid as NSUUID:
            let bytes = withUnsafeBytes(of: (uuid as UUID).uuid) { Data($0) }
            return append("NSUUID", [("NS.uuidbytes", writer.add(data: bytes))])
        case is NSNull: return append("NSNull", [])
        case let url as NSURL: return add((url as URL).absoluteURL)
        case let array as NSArray:
            guard let items = references(Array(array), depth) else { return nil }
            return append("NSArray", [("NS.objects", items)])
        case let set as NSSet:
            guard let items = references(set.allObjects, depth) else { return nil }
            return append("NSSet", [("NS.objects", items)])
        case let dictionary as NSDictionary:
            let pairs = dictionary.map { ($0.key, $0.value) }
            guard let keys = references(pairs.map(\.0), depth), let values = references(pairs.map(\.1), depth) else {
                return nil
            }
            return append("NSDictionary", [("NS.keys", keys), ("NS.objects", values)])
        default: return nil
        }
    }

    private mutating func add(_ url: URL) -> Int {
        let text = append(writer.add(text: url.relativeString))
        return append("NSURL", [("NS.base", writer.add(uid: 0)), ("NS.relative", writer.add(uid: text))])
    }

    private mutating func add(_ number: NSNumber) -> Int {
        // A Boolean is also an `NSNumber`, so it is recognized before the numbers.
        if CFNumberKind.isBoolean(number) { return writer.add(bool: number.boolValue) }
        switch number.objCType.pointee {
        case CChar(UInt8(ascii: "d")), CChar(UInt8(ascii: "f")): return writer.add(real: number.doubleValue)
        case CChar(UInt8(ascii: "Q")): return writer.add(unsigned: number.uint64Value)
        default: return writer.add(integer: number.int64Value)
        }
    }

    /// Adds the values to the archive, then adds to the property list an array that refers to them. Returns the array's
    /// index in the property list, or `nil` if a value cannot be archived.
    private mutating func references(_ values: [Any], _ depth: Int) -> Int? {
        var numbers: [Int] = []
        for value in values {
            guard let number = add(value, depth: depth + 1) else { return nil }
            numbers.append(writer.add(uid: number))
        }
        return writer.add(array: numbers)
    }

    private mutating func append(_ object: Int) -> Int {
        objects.append(object)
        return objects.count - 1
    }

    /// Adds an object of the class with the given name and returns its index in the archive.
    ///
    /// - Parameter parts: the keys of the object's parts, and the indices of the parts in the property list.
    private mutating func append(_ name: String, _ parts: [(String, Int)]) -> Int {
        let description = classes[name] ?? addClass(name)
        let reference = writer.add(uid: description)
        let pairs = parts.map { (writer.add(text: $0), $1) }
        return append(writer.add(dictionary: pairs + [(writer.add(text: "$class"), reference)]))
    }

    private mutating func addClass(_ name: String) -> Int {
        let names = writer.add(array: [writer.add(text: name), writer.add(text: "NSObject")])
        let number = append(
            writer.add(dictionary: [
                (writer.add(text: "$classes"), names), (writer.add(text: "$classname"), writer.add(text: name)),
            ]))
        classes[name] = number
        return number
    }
}

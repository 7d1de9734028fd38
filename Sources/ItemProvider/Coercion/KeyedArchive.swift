import Foundation
import PropertyLists

/// A reader of untrusted keyed archives.
///
/// Foundation on Linux ends the process if an archive contains an object whose class exists in the program but was not
/// requested. Therefore an archive is inspected first. It is decoded only if all its classes are the requested class or
/// classes of Foundation's plain values.
package enum KeyedArchive {
    /// The plain classes: Foundation's classes of values that have no behaviour. Such values serve as the state of
    /// other objects.
    static let plainClasses: Set<String> = [
        "NSString", "NSMutableString", "NSNumber", "NSData", "NSMutableData", "NSDate", "NSURL",
        "NSUUID", "NSArray", "NSMutableArray", "NSDictionary", "NSMutableDictionary", "NSSet", "NSMutableSet", "NSNull",
    ]

    /// Returns an object's archive. Returns `nil` if archiving the object would make Foundation end the process. This
    /// is the case for an object whose class is not found by its name, an `NSError` or `NSPredicate`, a collection of
    /// such objects, and an object that is nested too deeply.
    static func archive(_ object: any NSSecureCoding) -> Data? {
        if let archive = PlainArchive.archive(object) { return archive }
        guard canArchive(object, depth: 0) else { return nil }
        return try? NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    }

    private static func canArchive(_ value: Any, depth: Int) -> Bool {
        guard depth < KeyedArchiveStructure.deepest,
            let object = (value as AnyObject) as? any (NSObject & NSSecureCoding)
        else { return false }
        switch object {
        case let list as NSArray: return list.allSatisfy { canArchive($0, depth: depth + 1) }
        case let set as NSSet: return set.allSatisfy { canArchive($0, depth: depth + 1) }
        case let dictionary as NSDictionary:
            return dictionary.allSatisfy {
                canArchive($0.key, depth: depth + 1) && canArchive($0.value, depth: depth + 1)
            }
        case is NSString, is NSNumber, is NSData, is NSDate, is NSURL, is NSUUID, is NSNull: return true
        case is NSError, is NSPredicate: return false
        default:
            let found: AnyClass? = NSClassFromString(NSStringFromClass(type(of: object)))
            return found == type(of: object)
        }
    }

    /// Whether data is a property list that is marked as a keyed archive. The archive may still be unreadable.
    static func isArchive(_ data: Data) -> Bool {
        guard ForeignPropertyList.isBinary(data), let list = try? BinaryPropertyList(data) else { return false }
        return list.value(list.root, "$archiver").flatMap { list.text($0) } == "NSKeyedArchiver"
            && list.value(list.root, "$objects") != nil
    }

    /// Returns a plain value from its archive, regardless of its class. Returns `nil` if the archived object is not
    /// plain, or contains an object that is not plain.
    static func unarchivePlain(_ data: Data) -> (any NSSecureCoding)? {
        guard let root = classNames(in: data)?.root, plainClasses.contains(root) else { return nil }
        let classes: [AnyClass] = [
            NSString.self, NSData.self, NSDate.self, NSURL.self, NSUUID.self, NSArray.self, NSDictionary.self,
            NSSet.self, NSNull.self,
        ]
        let immutable = immutableName(of: root)
        return classes.first { NSStringFromClass($0) == immutable }.flatMap { unarchive(data, as: $0) }
    }

    /// Returns the immutable superclass of a mutable plain class, or the name itself.
    private static func immutableName(of name: String) -> String {
        plainClasses.contains(name) ? name.replacing("NSMutable", with: "NS") : name
    }

    /// Returns the object in an archive if it is an object of the given class that contains no objects of other classes
    /// except plain ones; `nil` otherwise.
    package static func unarchive(_ data: Data, as wanted: AnyClass) -> (any NSSecureCoding)? {
        guard let coding = wanted as? any (NSObject & NSSecureCoding).Type else { return nil }
        let name = NSStringFromClass(wanted)
        // Foundation's classes, whose names contain no module, do not check their input when they are decoded. Of these
        // classes, only the plain ones are accepted, because ``KeyedArchiveStructure`` checks their input beforehand.
        guard plainClasses.contains(name) || name.contains("."), let names = classNames(in: data),
            names.root == name || immutableName(of: names.root) == name,
            names.all.subtracting(plainClasses) == [name]
                || plainClasses.contains(name) && names.all.isSubset(of: plainClasses)
        else { return nil }
        func unarchive<Wanted: NSObject & NSSecureCoding>(_ type: Wanted.Type) -> (any NSSecureCoding)? {
            guard let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: data) else { return nil }
            // The classes were checked above. Foundation's check would end the process.
            unarchiver.requiresSecureCoding = false
            unarchiver.decodingFailurePolicy = .setErrorAndReturn
            defer { unarchiver.finishDecoding() }
            let object = unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey) as? Wanted
            return unarchiver.error == nil ? object : nil
        }
        return unarchive(coding)
    }

    /// Returns the class of the archived object and all classes that the archive names; `nil` if the data is not a
    /// keyed archive.
    package static func classNames(in data: Data) -> (root: String, all: Set<String>)? {
        guard let list = try? BinaryPropertyList(data),
            let archiver = list.value(list.root, "$archiver"), list.text(archiver) == "NSKeyedArchiver",
            let top = list.value(list.root, "$top"), let root = list.value(top, "root"),
            let table = list.value(list.root, "$objects"), case .array(let entries) = list.objects[table],
            case .uid(let rootEntry) = list.objects[root], rootEntry < entries.count
        else { return nil }
        guard KeyedArchiveStructure(list, entries).isSound else { return nil }
        var names: Set<String> = []
        for entry in entries {
            if let name = list.value(entry, "$classname") {
                guard let name = list.text(name) else { return nil }
                names.insert(name)
            }
            if let others = list.value(entry, "$classhints"), case .array(let hints) = list.objects[others] {
                names.formUnion(hints.compactMap { list.text($0) })
            }
        }
        guard let description = list.value(entries[rootEntry], "$class"),
            case .uid(let classEntry) = list.objects[description],
            let rootName = list.value(entries[classEntry], "$classname").flatMap({ list.text($0) })
        else { return nil }
        return (rootName, names)
    }
}

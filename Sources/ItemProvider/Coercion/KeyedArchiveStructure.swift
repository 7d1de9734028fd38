import Foundation
import PropertyLists

/// A check of a keyed archive for faulty references, which Foundation follows unchecked.
///
/// Foundation on Linux force-unwraps the object under `$class`. As long as an object is not complete, Foundation
/// decodes it again for each reference to it. Therefore an object that contains itself ends the process.
struct KeyedArchiveStructure {
    private let list: BinaryPropertyList
    /// The archive's objects, as indices of the property list's objects.
    private let entries: [Int]

    static let deepest = 100

    init(_ list: BinaryPropertyList, _ entries: [Int]) {
        self.list = list
        self.entries = entries
    }

    var isSound: Bool {
        for case .uid(let entry) in list.objects where entry >= entries.count { return false }
        return hasNoCycle && entries.allSatisfy(isSound)
    }

    private func isSound(_ entry: Int) -> Bool {
        guard list.value(entry, "$class") != nil else { return true }
        guard let name = className(of: entry) else { return false }
        return !KeyedArchive.plainClasses.contains(name) || hasParts(entry, of: name)
    }

    /// Returns the name of an object's class. Returns `nil` for a value that the archive stores without a class.
    private func className(of entry: Int) -> String? {
        guard let description = list.value(entry, "$class"), case .uid(let classEntry) = list.objects[description]
        else { return nil }
        return list.value(entries[classEntry], "$classname").flatMap { list.text($0) }
    }

    /// Whether a plain object has all the parts that Foundation's decoder of its class reads without a check.
    private func hasParts(_ entry: Int, of name: String) -> Bool {
        switch name {
        case "NSString", "NSMutableString": part(entry, "NS.string") { list.text($0) != nil }
        case "NSData", "NSMutableData":
            part(entry, "NS.data") { if case .data = list.objects[$0] { true } else { false } }
        case "NSDate": part(entry, "NS.time") { list.objects[$0] == .number }
        case "NSUUID": part(entry, "NS.uuidbytes") { list.objects[$0] == .data(count: 16) }
        case "NSURL": isURL(entry)
        case "NSArray", "NSMutableArray", "NSSet", "NSMutableSet":
            part(entry, "NS.objects") { references($0) != nil }
        case "NSDictionary", "NSMutableDictionary": isDictionary(entry)
        case "NSNull": true
        default: false
        }
    }

    private func part(_ entry: Int, _ key: String, _ condition: (Int) -> Bool) -> Bool {
        list.value(entry, key).map(condition) ?? false
    }

    private func isURL(_ entry: Int) -> Bool {
        part(entry, "NS.relative") { relative in
            guard case .uid(let text) = list.objects[relative], let text = list.text(entries[text]) else {
                return false
            }
            return NSURL(string: text) != nil
        }
            && part(entry, "NS.base") { base in
                guard case .uid(let base) = list.objects[base] else { return false }
                return isNull(base) || className(of: entries[base]) == "NSURL"
            }
    }

    /// Whether an object is a valid dictionary. Foundation assumes that it decodes as many keys as objects. Therefore
    /// their numbers must be equal, and all keys and objects must be decodable.
    private func isDictionary(_ entry: Int) -> Bool {
        guard let keys = list.value(entry, "NS.keys").flatMap(references),
            let values = list.value(entry, "NS.objects").flatMap(references), keys.count == values.count
        else { return false }
        var seen: Set<Int> = []
        var open = keys + values
        guard !open.contains(where: isNull) else { return false }
        while let part = open.popLast() {
            guard seen.insert(part).inserted else { continue }
            if list.value(entries[part], "$class") != nil {
                guard let name = className(of: entries[part]), KeyedArchive.plainClasses.contains(name) else {
                    return false
                }
            }
            open += parts(of: entries[part]).filter { list.value(entries[$0], "$classname") == nil }
        }
        return true
    }

    private func isNull(_ entry: Int) -> Bool { list.text(entries[entry]) == "$null" }

    /// Returns the references in an array; `nil` if the object is not an array, or contains anything but references.
    private func references(_ object: Int) -> [Int]? {
        guard case .array(let items) = list.objects[object] else { return nil }
        var references: [Int] = []
        for item in items {
            guard case .uid(let reference) = list.objects[item] else { return nil }
            references.append(reference)
        }
        return references
    }

    /// Whether no object contains itself, and none is nested too deeply.
    private var hasNoCycle: Bool {
        var height = [Int](repeating: 0, count: entries.count)
        var isOpen = [Bool](repeating: false, count: entries.count)
        for start in entries.indices where height[start] == 0 {
            var stack = [(entry: start, isLeaving: false)]
            while let (entry, isLeaving) = stack.popLast() {
                let parts = parts(of: entries[entry])
                if isLeaving {
                    isOpen[entry] = false
                    height[entry] = 1 + (parts.map { height[$0] }.max() ?? 0)
                    if height[entry] > Self.deepest { return false }
                    continue
                }
                if isOpen[entry] { return false }
                if height[entry] > 0 { continue }
                isOpen[entry] = true
                stack.append((entry, true))
                for part in parts { stack.append((part, false)) }
            }
        }
        return true
    }

    /// Returns the objects that an object refers to.
    private func parts(of entry: Int) -> [Int] {
        guard case .dictionary(let pairs) = list.objects[entry] else { return [] }
        return pairs.flatMap { pair -> [Int] in
            switch list.objects[pair.value] {
            case .uid(let part): return [part]
            case .array(let items):
                return items.compactMap { item in
                    if case .uid(let part) = list.objects[item] { part } else { nil }
                }
            default: return []
            }
        }
    }
}

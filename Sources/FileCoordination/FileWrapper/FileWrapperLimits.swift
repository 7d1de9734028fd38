import Foundation
import LinuxSystem

/// Computes valid and unique names for the children of a directory wrapper.
enum FileWrapperName {
    private static let longest = 255

    /// Returns the valid file name that is most similar to the given name.
    static func valid(_ name: String) -> String {
        var result = String(name.map { $0 == "/" || $0 == "\0" ? "_" : $0 })
        while result.utf8.count > longest { result.removeLast() }
        return FileName(result) == nil ? "Untitled" : result
    }

    /// Returns a name that is not taken. This is the given name, or the first free one of "name 2", "name 3", and so
    /// on, with the same extension.
    static func unique(_ name: String, isTaken: (String) -> Bool) -> String {
        guard isTaken(name) else { return name }
        let ending = (name as NSString).pathExtension
        let stem = ending.isEmpty ? name : (name as NSString).deletingPathExtension
        var number = 2
        while true {
            let tail = ending.isEmpty ? " \(number)" : " \(number).\(ending)"
            var start = stem
            while start.utf8.count + tail.utf8.count > longest, !start.isEmpty { start.removeLast() }
            if !isTaken(start + tail) { return start + tail }
            number += 1
        }
    }
}

/// The maximum depth of nested directories. It ensures that no hierarchy can overflow the stack.
enum FileWrapperDepth {
    static let limit = 256
    /// The maximum depth of nested directories in a serialized wrapper. In the property list, each directory takes two
    /// levels of dictionaries, and at most 200 levels are read.
    static let serializedLimit = 96

    static func check(_ depth: Int, _ code: CocoaError.Code, path: String) throws {
        guard depth > limit else { return }
        throw CocoaError(
            code,
            userInfo: [
                NSFilePathErrorKey: path,
                NSLocalizedDescriptionKey: "“\(path)” has more than \(limit) directories within each other.",
            ])
    }

    /// Releases the wrapper's children. Descendants without other references are released in a loop, not recursively.
    static func releaseChildren(of wrapper: FileWrapper) {
        var open = wrapper.takeChildren()
        while var wrapper = open.popLast() {
            if isKnownUniquelyReferenced(&wrapper) { open += wrapper.takeChildren() }
        }
    }
}

import Foundation
import LinuxSystem

/// The names of a directory wrapper's children.
enum FileWrapperName {
    private static let longest = 255

    /// A name that a directory entry can have, as like the asked one as possible.
    static func valid(_ name: String) -> String {
        var result = String(name.map { $0 == "/" || $0 == "\0" ? "_" : $0 })
        while result.utf8.count > longest { result.removeLast() }
        return FileName(result) == nil ? "Untitled" : result
    }

    /// The name, or the first of "name 2", "name 3", … that is free, the extension kept.
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

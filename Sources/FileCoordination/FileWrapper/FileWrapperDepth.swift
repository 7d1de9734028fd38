import Foundation

/// How many directories may be within each other, so that no tree can overflow the stack of whoever goes through it.
enum FileWrapperDepth {
    static let limit = 256
    /// The same in a serialized wrapper: a property list, in which each directory is two dictionaries, and of which 200 levels
    /// are read.
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

    /// Has a wrapper let go of its children and, one after the other, of what only they have.
    static func releaseChildren(of wrapper: FileWrapper) {
        var open = wrapper.takeChildren()
        while var wrapper = open.popLast() {
            if isKnownUniquelyReferenced(&wrapper) { open += wrapper.takeChildren() }
        }
    }
}

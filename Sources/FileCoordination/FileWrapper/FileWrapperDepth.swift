import Foundation

/// The maximum nesting of directories, so that no hierarchy can overflow the stack.
enum FileWrapperDepth {
    static let limit = 256
    /// The limit in a serialized wrapper. It is a property list in which each directory consists of two dictionaries,
    /// and at most 200 levels of that are read.
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

    /// Releases a wrapper's children, and iteratively all descendants that are not used elsewhere.
    static func releaseChildren(of wrapper: FileWrapper) {
        var open = wrapper.takeChildren()
        while var wrapper = open.popLast() {
            if isKnownUniquelyReferenced(&wrapper) { open += wrapper.takeChildren() }
        }
    }
}

import LinuxSystem

/// Where claims were made whose callers said so, for messages about deadlocks: the stack of a task's thread does not tell.
enum NamedCallSites {
    private static let places = Lock<[UInt64: CallPlace]>([:])

    static func remember(_ claim: UInt64, _ place: CallPlace) { places.withLock { $0[claim] = place } }
    static func forget(_ claim: UInt64) { places.withLock { $0[claim] = nil } }
    static func place(of claim: UInt64) -> String? { places.withLock { $0[claim] }?.description }
}

/// A place in the sources.
struct CallPlace: Sendable, CustomStringConvertible {
    let fileID: StaticString
    let line: UInt
    let function: StaticString

    var description: String {
        let file = "\(fileID)".split(separator: "/").last.map(String.init) ?? "\(fileID)"
        return "\(file):\(line) (\(function))"
    }
}

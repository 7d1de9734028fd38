import CSwiftRuntime
import Distributed
import Glibc

/// Which functions another process may call of an actor: those of its own type, and those of the protocols that it conforms to.
///
/// The name of the function comes from the other process. Swift's runtime finds a function by its name, of whatever type of this
/// process, and hands the actor to it as if it were one of that type, so the name has to be looked at before.
struct ServiceFunctions: Sendable {
    /// The actor's type as it is written in the names of its functions.
    private let type: String?

    init<Act: DistributedActor>(of type: Act.Type) {
        self.type = _mangledTypeName(type).flatMap { Self.demangled(Self.prefix + $0) }
    }

    /// What all names that the compiler makes begin with.
    private static let prefix = "$s"
    private static let distributed = "distributed thunk "
    private static let extending = "(extension in "
    /// The compiler's name of a function is no longer than that.
    private static let longestName = 8192

    /// - Parameter name: as the compiler has made it, or as a stranger says that it has.
    /// - Throws: ``ServiceCallError/mismatch(_:)``, ``ServiceCallError/genericFunction``.
    func check(_ name: String) throws(ServiceCallError) {
        guard name.utf8.count <= Self.longestName, name.hasPrefix(Self.prefix), let whole = Self.demangled(name),
            whole.hasPrefix(Self.distributed)
        else { throw .mismatch("there is no such function") }
        var words = whole.dropFirst(Self.distributed.count)
        if words.hasPrefix(Self.extending), let colon = words.firstIndex(of: ":") {
            words = words[words.index(after: colon)...]
        }
        if let type, words.hasPrefix(type + ".") {
            let rest = words.dropFirst(type.count + 1)
            let function = rest.prefix { !"(<".contains($0) }
            // What has another point in it is of a type within this one.
            if !function.contains(".") { return try Self.checkEnd(rest.dropFirst(function.count)) }
        }
        // Whether the actor conforms to the protocol is looked at by the runtime, which has to know the actor's type for that.
        let function = words.prefix { !"(<".contains($0) }
        let parts = function.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, Self.standsForProtocol(String(parts[1]), of: String(parts[0])) else {
            throw .mismatch("the actor has no such function")
        }
        try Self.checkEnd(words.dropFirst(function.count))
    }

    /// - Parameter end: what comes after the name: the parameters, or first those of a generic function.
    private static func checkEnd(_ end: Substring) throws(ServiceCallError) {
        if end.hasPrefix("<") { throw .genericFunction }
    }

    /// Whether a type is what the macro `@Resolvable` makes of a protocol, whose functions any actor has that conforms to it.
    private static func standsForProtocol(_ name: String, of module: String) -> Bool {
        guard name.hasPrefix("$") else { return false }
        let type = _typeByName("\(module.utf8.count)\(module)\(name.utf8.count)\(name)C")
        return type is any _DistributedActorStub.Type
    }

    private static func demangled(_ name: String) -> String? {
        var name = name
        let text = name.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { swift_demangle($0.baseAddress, $0.count, nil, nil, 0) }
        }
        guard let text else { return nil }
        defer { free(text) }
        return String(cString: text)
    }
}

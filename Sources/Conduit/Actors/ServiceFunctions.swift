import Distributed

/// Checks whether another process may call a function of an actor. The functions of the actor's own type, and of the
/// protocols to which the type conforms, may be called.
///
/// The name of the function comes from the other process. Given a name, Swift's runtime finds a function of any type in
/// this process, and passes the actor to it even if the actor has another type. Therefore the name must be checked
/// first.
struct ServiceFunctions: Sendable {
    /// The demangled name of the actor's type, as it appears in the demangled names of the type's functions.
    private let type: String?

    init<Act: DistributedActor>(of type: Act.Type) {
        self.type = _mangledTypeName(type).flatMap { MangledName.readable(Self.prefix + $0) }
    }

    /// The prefix of all mangled names.
    private static let prefix = "$s"
    private static let distributed = "distributed thunk "
    private static let extending = "(extension in "
    /// The maximum length of a mangled function name, in bytes.
    private static let longestName = 8192
    /// The maximum size in bytes of a demangled name. The limit is high enough for names in which long types occur
    /// repeatedly.
    private static let longestReadableName = 64 << 20

    /// Checks that another process may call the function with the given name. Throws an error if it may not.
    ///
    /// - Parameter name: the mangled name that the caller sent. It is not trusted.
    /// - Throws: ``ServiceCallError/mismatch(_:)``, ``ServiceCallError/genericFunction``.
    func check(_ name: String) throws(ServiceCallError) {
        guard name.utf8.count <= Self.longestName, name.hasPrefix(Self.prefix),
            let whole = MangledName.readable(name, atMost: Self.longestReadableName),
            whole.hasPrefix(Self.distributed)
        else { throw .mismatch("there is no such function") }
        var words = whole.dropFirst(Self.distributed.count)
        if words.hasPrefix(Self.extending), let colon = words.firstIndex(of: ":") {
            words = words[words.index(after: colon)...]
        }
        if let type, words.hasPrefix(type + ".") {
            let rest = words.dropFirst(type.count + 1)
            let function = rest.prefix { !"(<".contains($0) }
            // A name with another dot belongs to a type that is nested in this one.
            if !function.contains(".") { return try Self.checkEnd(rest.dropFirst(function.count)) }
        }
        // The other functions that may be called are those of a protocol's stub. When the runtime resolves the actor's
        // type, it checks whether the actor conforms to the protocol.
        let function = words.prefix { !"(<".contains($0) }
        let parts = function.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, Self.standsForProtocol(String(parts[1]), of: String(parts[0])) else {
            throw .mismatch("the actor has no such function")
        }
        try Self.checkEnd(words.dropFirst(function.count))
    }

    /// Throws an error if a function is generic.
    ///
    /// - Parameter end: the part of the demangled name after the function's base name: the generic parameters, if any,
    ///   and the parameters.
    private static func checkEnd(_ end: Substring) throws(ServiceCallError) {
        if end.hasPrefix("<") { throw .genericFunction }
    }

    /// Whether the named type is the stub that the macro `@Resolvable` generates for a protocol. Functions of the stub
    /// can be called on every actor that conforms to the protocol.
    private static func standsForProtocol(_ name: String, of module: String) -> Bool {
        guard name.hasPrefix("$") else { return false }
        let type = _typeByName("\(module.utf8.count)\(module)\(name.utf8.count)\(name)C")
        return type is any _DistributedActorStub.Type
    }
}

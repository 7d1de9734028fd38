/// The path from a type to the representation that is being resolved, outermost first, and the number of types resolved
/// so far.
///
/// A path that returns to one of its types never ends, and neither does a path through an unlimited number of new
/// generic types. A representation on such a path is left out, and a fault is reported. The other representations of
/// the type are used.
struct ResolutionPath {
    /// The maximum number of types on a path. A finite path is shorter, because each of its types is written in the
    /// program's source code.
    private static let longest = 32
    /// The maximum number of types on all paths together. It is needed because paths branch.
    private static let most = 1024

    private var types: [ObjectIdentifier] = []
    private var looked = 0
    private var outermost = ""

    /// Resolves a type at the end of the path.
    ///
    /// - Parameter fault: returns the fault to report if the path already contains the type.
    mutating func following(
        _ type: Any.Type, otherwise fault: (String) -> ResolutionFault, _ resolve: (inout ResolutionPath) -> Resolution
    ) -> Resolution {
        if types.contains(ObjectIdentifier(type)) { return Resolution(fault: fault("\(type)")) }
        // Only the outermost type is named: a type far down the path may have a name that fills the memory.
        if types.isEmpty { outermost = "\(type)" }
        guard types.count < Self.longest, looked < Self.most else { return Resolution(fault: .endless(outermost)) }
        looked += 1
        types.append(ObjectIdentifier(type))
        defer { types.removeLast() }
        return resolve(&self)
    }
}

/// The reason why the resolution of some of a type's representations would never end.
enum ResolutionFault: Sendable {
    /// A type that is a proxy of itself, directly or not.
    case proxyOfItself(String)
    /// A representation that contains itself in its body.
    case madeOfItself(String)
    /// A chain of proxies or bodies of generic types, in which each type is followed by a larger one.
    case endless(String)
}

extension ResolutionFault: CustomStringConvertible {
    var description: String {
        switch self {
        case .proxyOfItself(let type): "\(type) is a proxy of itself"
        case .madeOfItself(let type): "\(type) is made of itself"
        case .endless(let type): "the representations of \(type) never end"
        }
    }
}

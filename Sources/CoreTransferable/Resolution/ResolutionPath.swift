/// The way from a type to the representation that is being looked at, outermost first, and how much has been looked at.
///
/// A way that leads back to where it has been never ends; nor does one through a generic type that is ever another. Both are
/// left out, with what is the matter, and whatever stands beside them counts.
struct ResolutionPath {
    /// More types than this are on no way that ends: each is one that a program has written down.
    private static let longest = 32
    /// More types than this are not looked at, on all ways together: they branch.
    private static let most = 1024

    private var types: [ObjectIdentifier] = []
    private var looked = 0
    private var outermost = ""

    /// Looks at what a type is made of.
    ///
    /// - Parameter fault: what is the matter when the way has led through the type before.
    mutating func following(
        _ type: Any.Type, otherwise fault: (String) -> ResolutionFault, _ resolve: (inout ResolutionPath) -> Resolution
    ) -> Resolution {
        if types.contains(ObjectIdentifier(type)) { return Resolution(fault: fault("\(type)")) }
        // A type far down the way may have a name that fills the memory.
        if types.isEmpty { outermost = "\(type)" }
        guard types.count < Self.longest, looked < Self.most else { return Resolution(fault: .endless(outermost)) }
        looked += 1
        types.append(ObjectIdentifier(type))
        defer { types.removeLast() }
        return resolve(&self)
    }
}

/// Why some of a type's representations lead nowhere.
enum ResolutionFault: Sendable {
    /// A type that proxies to itself, on whatever way.
    case proxyOfItself(String)
    /// A representation in whose body it is found again.
    case madeOfItself(String)
    /// Proxies or bodies of generic types, each made of a larger one.
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

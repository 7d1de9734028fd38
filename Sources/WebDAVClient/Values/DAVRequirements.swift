import HTTPTransport

/// The required states of items, as the conditions of a request, so that the request does not overwrite another
/// client's change.
///
/// Many servers silently ignore some conditions. ``DAVServerProfile`` records which ones a server honours.
public struct DAVRequirements: Sendable {
    /// A required state of a file or directory.
    public enum State: Hashable, Sendable {
        /// Any state.
        case any
        /// Nothing exists at the address.
        case absent
        /// An item exists at the address.
        case present
        /// The file has this tag.
        case tag(DAVEntityTag)
    }

    /// The required state of the file at the request's address, which is the source of a move or copy.
    public var resource = State.any
    /// The required state of the destination of a move or copy. ``State/absent`` forbids overwriting.
    public var destination = State.any
    /// The locks of this client that cover files that the request changes.
    ///
    /// The server carries out a request with conditions for several files if the conditions for one of these files are
    /// true. If the request has locks, a condition on the tag of the destination therefore has an effect only if the
    /// destination itself is locked.
    public var locks: [DAVLock] = []

    /// Creates requirements.
    public init(resource: State = .any, destination: State = .any, locks: [DAVLock] = []) {
        self.resource = resource
        self.destination = destination
        self.locks = locks
    }

    /// Sets the header fields for the conditions.
    package func apply(to request: inout HTTPRequest, destination target: HTTPAddress? = nil) {
        switch resource {
        case .any: break
        case .absent: request.headers["If-None-Match"] = "*"
        case .present: request.headers["If-Match"] = "*"
        case .tag(let tag): request.headers["If-Match"] = tag.conditionValue
        }
        if let target {
            request.headers["Destination"] = target.description
            request.headers["Overwrite"] = destination == .absent ? "F" : "T"
        }
        let value = ifValue(at: request.address, target)
        if !value.isEmpty { request.headers["If"] = value }
    }

    /// The value of the header field `If` (RFC 4918, section 10.4).
    private func ifValue(at address: HTTPAddress, _ target: HTTPAddress?) -> String {
        if target == nil, let lock = locks.first, locks.count == 1, lock.address == address {
            return "(<\(lock.token)>)"
        }
        var lists: [(address: HTTPAddress, states: [String])] = []
        func add(_ state: String, to address: HTTPAddress) {
            if let index = lists.firstIndex(where: { $0.address == address }) {
                lists[index].states.append(state)
            } else {
                lists.append((address, [state]))
            }
        }
        for lock in locks { add("<\(lock.token)>", to: lock.address) }
        if let target, case .tag(let tag) = destination { add("[\(tag.conditionValue)]", to: target) }
        return lists.map { "<\($0.address)> (\($0.states.joined(separator: " ")))" }.joined(separator: " ")
    }
}

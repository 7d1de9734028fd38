import Conduit
import FileCoordination
import Glibc

/// A path that may be claimed: absolute, and shorter than `PATH_MAX`.
struct PathMessage: MessageValue {
    let path: ExactPath

    init(_ path: ExactPath) { self.path = path }

    func write(to encoder: inout MessageEncoder) { path.string.write(to: &encoder) }

    static func read(from decoder: inout MessageDecoder) throws(MessageError) -> PathMessage {
        PathMessage(try ExactPath(checking: try String.read(from: &decoder)))
    }
}

extension ExactPath {
    /// Checks a path that a process sent.
    init(checking path: String) throws(MessageError) {
        guard path.hasPrefix("/"), path.utf8.count < Int(PATH_MAX), !path.utf8.contains(0) else {
            throw .invalid("a path is absolute and has at most \(PATH_MAX) bytes")
        }
        self.init(path)
    }
}

extension ClaimRequest: SchemaMessage {
    package static let schema = Schema(
        {
            (
                number: UInt64, first: Access?, purpose: String, presenter: UInt64?, enclosing: [UInt64],
                answering: [UInt64], timeLimit: Int, others: [Access], blocking: [UInt64], isNoting: Bool
            ) throws(MessageError) in
            let accesses = (first.map { [$0] } ?? []) + others
            if let fault = ClaimLimits.fault(accesses, purpose: purpose) { throw .invalid(fault) }
            return ClaimRequest(
                number: number, accesses: accesses, purpose: purpose, presenter: presenter, enclosing: enclosing,
                answering: answering, blocking: blocking, presenterTimeLimit: timeLimit, isNoting: isNoting)
        },
        Field(0, \ClaimRequest.number), Field(1, \.accesses.first), Field(2, \.purpose), Field(3, \.presenter),
        Field(4, unlessEmpty: \.enclosing, atMost: ClaimUsage.nestingLimit),
        Field(5, unlessEmpty: \.answering, atMost: ClaimUsage.nestingLimit), Field(6, \.presenterTimeLimit),
        // Nearly all claims have one item, and an array costs more than its one element.
        Field(7, unlessEmpty: { Array($0.accesses.dropFirst()) }, atMost: ClaimLimits.accesses),
        Field(8, unlessEmpty: \.blocking, atMost: ClaimUsage.nestingLimit), Field(9, \.isNoting, default: false))
}

extension Access: SchemaMessage {
    package static let schema = Schema(
        { (path: PathMessage, key: PathMessage?, traits: UInt16) throws(MessageError) in
            try Access(checking: path.path, key: key?.path ?? path.path, Traits(rawValue: traits))
        },
        Field(0, { (access: Access) in PathMessage(access.path) }),
        Field(1, { $0.key == $0.path ? nil : PathMessage($0.key) }), Field(2, \.traits.rawValue))

    /// Checks an access that a process sent.
    init(checking path: ExactPath, key: ExactPath, _ traits: Traits) throws(MessageError) {
        // Presenters close an item that is to be deleted, so only a claim that excludes others may request that.
        guard traits.areSound else {
            throw .invalid("an item that is only read is neither deleted nor moved, replaced or given up")
        }
        self.init(path: path, key: key, traits: traits)
    }
}

extension ClaimOutcome: SchemaMessage {
    package static let schema = Schema(
        { ClaimOutcome(access: $0, change: $1) }, Field(0, \ClaimOutcome.access), Field(inline: Change.schema, \.change)
    )
}

extension ClaimOutcome.Change {
    /// The values of an outcome. Key 0 is the index of its access.
    fileprivate static let schema = Schema<ClaimOutcome.Change>(tag: 1) {
        Case(0, Self.none) { if case .none = $0 { true } else { false } }
        Case(1, Self.changed) { if case .changed = $0 { true } else { false } }
        Case(2, Self.deleted) { if case .deleted = $0 { true } else { false } }
        Case(
            3, { (path: PathMessage, key: PathMessage) in Self.moved(toPath: path.path, key: key.path) }, Field(2, \.0),
            Field(3, \.1)
        ) {
            if case .moved(let path, let key) = $0 { (PathMessage(path), PathMessage(key)) } else { nil }
        }
    }
}

extension CoordinationError: SchemaMessage {
    package static let schema = Schema(
        { CoordinationError(domain: $0, code: $1, message: $2) }, Field(0, \CoordinationError.domain),
        Field(1, \.code), Field(2, \.message))
}

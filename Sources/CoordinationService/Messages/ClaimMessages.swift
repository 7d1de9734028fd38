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
    /// Checks a path that another process sent.
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
        // Nearly all claims have one item. The first item is encoded as a field of its own, because an array with one
        // element takes longer.
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

    /// Checks the values of an access that another process sent.
    init(checking path: ExactPath, key: ExactPath, _ traits: Traits) throws(MessageError) {
        // These traits require preparations of presenters. For example, presenters close an item that is to be deleted.
        // Therefore only a claim to write, which excludes other claims, may have these traits.
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
    /// The fields of a change. They are encoded in the message of the outcome, in which key 0 is the index of the
    /// access.
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

/// The encoding of plain claims: claims of one item, neither nested in another claim nor made for a presenter. Nearly
/// all claims are plain. They are encoded as values of the notice itself, without nested messages, which takes half as
/// long.
extension ClaimRequest {
    var isPlain: Bool {
        accesses.count == 1 && accesses[0].key == accesses[0].path && presenter == nil && enclosing.isEmpty
            && answering.isEmpty && blocking.isEmpty && handed == nil && !isNoting
    }

    /// The fields of a plain claim. They are encoded in the notice, in which key 0 is the notice's tag.
    static let plainSchema = Schema(
        { (number: UInt64, path: PathMessage, bits: UInt64, purpose: String, timeLimit: Int) throws(MessageError) in
            guard let traits = UInt16(exactly: bits) else { throw .invalid("unknown traits of a claim: \(bits)") }
            let access = try Access(checking: path.path, key: path.path, Access.Traits(rawValue: traits))
            if let fault = ClaimLimits.fault([access], purpose: purpose) { throw .invalid(fault) }
            return ClaimRequest(number: number, accesses: [access], purpose: purpose, presenterTimeLimit: timeLimit)
        },
        Field(1, \ClaimRequest.number), Field(5, { PathMessage($0.accesses[0].path) }),
        Field(11, { UInt64($0.accesses[0].traits.rawValue) }), Field(12, \.purpose), Field(13, \.presenterTimeLimit))
}

/// The first call of a client. A daemon that is too old to support coordination refuses this call. Without the call,
/// the client would not learn that such a daemon ignores its notices.
package struct CoordinateCall: Call, SchemaMessage {
    package typealias Reply = Empty
    /// The number of the call. It is greater than the numbers of the calls of the exchange and of the extension
    /// service, which use the same socket.
    package static var method: UInt64 { 96 }

    package init() {}
    package static let schema = Schema(Self.init)
}

/// Asks for the number of granted and waiting claims of all processes, to diagnose why a program waits.
package struct CountClaimsCall: Call, SchemaMessage {
    package static var method: UInt64 { 97 }

    package init() {}
    package static let schema = Schema(Self.init)

    package struct Reply: SchemaMessage {
        package let count: Int

        package init(count: Int) { self.count = count }
        package static let schema = Schema(Self.init, Field(0, \.count))
    }
}

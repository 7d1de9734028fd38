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

struct ClaimMessage: Message {
    let request: ClaimRequest

    init(_ request: ClaimRequest) { self.request = request }

    init(from decoder: inout MessageDecoder) throws(MessageError) {
        let number: UInt64 = try decoder.decode(forKey: 0)
        let first: AccessMessage? = try decoder.decodeIfPresent(forKey: 1)
        let purpose: String = try decoder.decode(forKey: 2)
        let presenter: UInt64? = try decoder.decodeIfPresent(forKey: 3)
        // Decoding fails at an array that is too long, before its elements take memory.
        let enclosing = try decoder.decodeArray(of: UInt64.self, forKey: 4, atMost: ClaimUsage.nestingLimit)
        let answering = try decoder.decodeArray(of: UInt64.self, forKey: 5, atMost: ClaimUsage.nestingLimit)
        let timeLimit: Int = try decoder.decode(forKey: 6)
        // Nearly all claims have one item, and an array costs more than its one element.
        let others = try decoder.decodeArray(of: AccessMessage.self, forKey: 7, atMost: ClaimLimits.accesses)
        let blocking = try decoder.decodeArray(of: UInt64.self, forKey: 8, atMost: ClaimUsage.nestingLimit)
        let accesses = (first.map { [$0.access] } ?? []) + others.map(\.access)
        if let fault = ClaimLimits.fault(accesses, purpose: purpose) { throw .invalid(fault) }
        request = ClaimRequest(
            number: number, accesses: accesses, purpose: purpose,
            presenter: presenter, enclosing: enclosing, answering: answering, blocking: blocking,
            presenterTimeLimit: timeLimit, isNoting: try decoder.decodeIfPresent(forKey: 9) ?? false)
    }

    func encode(to encoder: inout MessageEncoder) {
        encoder.encode(request.number, forKey: 0)
        encoder.encodeIfPresent(request.accesses.first.map { AccessMessage($0) }, forKey: 1)
        encoder.encode(request.purpose, forKey: 2)
        encoder.encodeIfPresent(request.presenter, forKey: 3)
        if !request.enclosing.isEmpty { encoder.encode(request.enclosing, forKey: 4) }
        if !request.answering.isEmpty { encoder.encode(request.answering, forKey: 5) }
        encoder.encode(request.presenterTimeLimit, forKey: 6)
        if request.accesses.count > 1 {
            encoder.encode(request.accesses.dropFirst().map { AccessMessage($0) }, forKey: 7)
        }
        if !request.blocking.isEmpty { encoder.encode(request.blocking, forKey: 8) }
        if request.isNoting { encoder.encode(true, forKey: 9) }
    }
}

private struct AccessMessage: Message {
    let access: Access

    init(_ access: Access) { self.access = access }

    init(from decoder: inout MessageDecoder) throws(MessageError) {
        let path: PathMessage = try decoder.decode(forKey: 0)
        let key: PathMessage? = try decoder.decodeIfPresent(forKey: 1)
        let traits = Access.Traits(rawValue: try decoder.decode(forKey: 2))
        access = try Access(checking: path.path, key: key?.path ?? path.path, traits)
    }

    func encode(to encoder: inout MessageEncoder) {
        encoder.encode(PathMessage(access.path), forKey: 0)
        encoder.encodeIfPresent(access.key == access.path ? nil : PathMessage(access.key), forKey: 1)
        encoder.encode(access.traits.rawValue, forKey: 2)
    }
}

extension Access {
    /// Checks an access that a process sent.
    init(checking path: ExactPath, key: ExactPath, _ traits: Traits) throws(MessageError) {
        // Presenters close an item that is to be deleted, so only a claim that excludes others may request that.
        guard traits.areSound else {
            throw .invalid("an item that is only read is neither deleted nor moved, replaced or given up")
        }
        self.init(path: path, key: key, traits: traits)
    }
}

struct OutcomeMessage: Message {
    let outcome: ClaimOutcome

    init(_ outcome: ClaimOutcome) { self.outcome = outcome }

    private enum Kind: UInt64, MessageValue {
        case none = 0
        case changed = 1
        case deleted = 2
        case moved = 3
    }

    init(from decoder: inout MessageDecoder) throws(MessageError) {
        let access: Int = try decoder.decode(forKey: 0)
        let kind: Kind = try decoder.decode(forKey: 1)
        let change: ClaimOutcome.Change =
            switch kind {
            case .none: .none
            case .changed: .changed
            case .deleted: .deleted
            case .moved:
                .moved(
                    toPath: try decoder.decode(PathMessage.self, forKey: 2).path,
                    key: try decoder.decode(PathMessage.self, forKey: 3).path)
            }
        outcome = ClaimOutcome(access: access, change: change)
    }

    func encode(to encoder: inout MessageEncoder) {
        encoder.encode(outcome.access, forKey: 0)
        switch outcome.change {
        case .none: encoder.encode(Kind.none, forKey: 1)
        case .changed: encoder.encode(Kind.changed, forKey: 1)
        case .deleted: encoder.encode(Kind.deleted, forKey: 1)
        case .moved(let path, let key):
            encoder.encode(Kind.moved, forKey: 1)
            encoder.encode(PathMessage(path), forKey: 2)
            encoder.encode(PathMessage(key), forKey: 3)
        }
    }
}

struct CoordinationErrorMessage: Message {
    let failure: CoordinationError

    init(_ failure: CoordinationError) { self.failure = failure }

    init(from decoder: inout MessageDecoder) throws(MessageError) {
        failure = CoordinationError(
            domain: try decoder.decode(forKey: 0), code: try decoder.decode(forKey: 1),
            message: try decoder.decode(forKey: 2))
    }

    func encode(to encoder: inout MessageEncoder) {
        encoder.encode(failure.domain, forKey: 0)
        encoder.encode(failure.code, forKey: 1)
        encoder.encode(failure.message, forKey: 2)
    }
}

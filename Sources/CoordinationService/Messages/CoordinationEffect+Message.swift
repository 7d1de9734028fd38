import Conduit
import FileCoordination

extension CoordinationEffect: SchemaMessage {
    package static let schema = Schema<CoordinationEffect>(tag: 0) {
        Case(
            0, Self.granted, Field(1, \.0), Field(2, unlessEmpty: \.1), Field(3, unlessEmpty: \.2),
            Field(4, \.3, default: false)
        ) {
            if case .granted(let claim, let paths, let keys, let hasWaited) = $0 {
                (claim, paths, keys, hasWaited)
            } else {
                nil
            }
        }
        Case(
            1, { Self.denied(claim: $0, .deadlock(OtherClaim(client: $3, number: $1), path: $2)) },
            Field(1, \.0), Field(2, \.1.number), Field(3, \.2), Field(4, \.1.client)
        ) {
            if case .denied(let claim, .deadlock(let other, let path)) = $0 { (claim, other, path) } else { nil }
        }
        Case(2, { Self.denied(claim: $0, .presenter($1)) }, Field(1, \.0), Field(2, \.1)) {
            if case .denied(let claim, .presenter(let error)) = $0 { (claim, error) } else { nil }
        }
        Case(3, { Self.denied(claim: $0, .tooManyClaims(limit: $1)) }, Field(1, \.0), Field(2, \.1)) {
            if case .denied(let claim, .tooManyClaims(let limit)) = $0 { (claim, limit) } else { nil }
        }
        Case(4, Self.prepare, Preparation.schema) {
            if case .prepare(let preparation) = $0 { preparation } else { nil }
        }
        Case(5, Self.reacquire, Field(1, \.self)) {
            if case .reacquire(let preparation) = $0 { preparation } else { nil }
        }
        Case(6, Self.notify, Field(1, \.0), Field(2, \.1)) {
            if case .notify(let presenter, let notice) = $0 { (presenter, notice) } else { nil }
        }
        Case(7, { Self.denied(claim: $0, .blockedPresenter(path: $1)) }, Field(1, \.0), Field(3, \.1)) {
            if case .denied(let claim, .blockedPresenter(let path)) = $0 { (claim, path) } else { nil }
        }
        Case(8, { Self.denied(claim: $0, .refused(reason: $1)) }, Field(1, \.0), Field(3, \.1)) {
            if case .denied(let claim, .refused(let reason)) = $0 { (claim, reason) } else { nil }
        }
    }
}

extension Preparation {
    /// The fields of a preparation. They are encoded in the effect, in which key 0 is the effect's tag.
    fileprivate static let schema = Schema(
        {
            Preparation(
                number: $0, presenter: $1, relinquishing: $2, saves: $3, deletesItem: $4, evictsItem: $7,
                deletedSubitems: $5, timeLimit: $6)
        },
        Field(1, \Preparation.number), Field(2, \.presenter), Field(3, \.relinquishing), Field(4, \.saves),
        Field(5, \.deletesItem), Field(6, \.deletedSubitems), Field(7, \.timeLimit),
        Field(8, \.evictsItem, default: false))
}

extension Preparation.Relinquishing: MessageValue {}

/// The encoding of a path as text. Decoding does not check the path. ``PathMessage`` checks the paths that a process
/// claims.
extension ExactPath: MessageValue {
    package func write(to encoder: inout MessageEncoder) { string.write(to: &encoder) }

    package static func read(from decoder: inout MessageDecoder) throws(MessageError) -> ExactPath {
        ExactPath(try String.read(from: &decoder))
    }
}

extension PresenterNotice: SchemaMessage {
    package static let schema = Schema<PresenterNotice>(tag: 0) {
        Case(0, Self.moved, Field(1, \.self)) { if case .moved(let path) = $0 { path } else { nil } }
        Case(1, Self.changed) { if case .changed = $0 { true } else { false } }
        Case(2, Self.subitemChanged, Field(1, \.self)) { if case .subitemChanged(let path) = $0 { path } else { nil } }
        Case(3, Self.subitemMoved, Field(1, \.0), Field(2, \.1)) {
            if case .subitemMoved(let old, let new) = $0 { (old, new) } else { nil }
        }
        Case(4, Self.attributesChanged, Field(3, \.self)) {
            if case .attributesChanged(let names) = $0 { names } else { nil }
        }
        Case(5, Self.subitemAttributesChanged, Field(1, \.0), Field(3, \.1)) {
            if case .subitemAttributesChanged(let path, let names) = $0 { (path, names) } else { nil }
        }
        Case(6, Self.versionChanged, Field(1, \.0), Field(4, \.1)) {
            if case .versionChanged(let path, let change) = $0 { (path, change) } else { nil }
        }
        Case(7, Self.subitemVersionChanged, Field(1, \.0), Field(4, \.1)) {
            if case .subitemVersionChanged(let path, let change) = $0 { (path, change) } else { nil }
        }
    }
}

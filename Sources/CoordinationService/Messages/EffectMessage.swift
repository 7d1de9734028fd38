import Conduit
import FileCoordination

struct EffectMessage: Message {
    let effect: CoordinationEffect

    init(_ effect: CoordinationEffect) { self.effect = effect }

    private enum Kind: UInt64 {
        case granted = 0
        case deadlock = 1
        case presenterFailed = 2
        case tooManyClaims = 3
        case prepare = 4
        case reacquire = 5
        case notify = 6
        case blockedPresenter = 7
        case refused = 8
    }

    init(from decoder: inout MessageDecoder) throws(MessageError) {
        let kindNumber: UInt64 = try decoder.decode(forKey: 0)
        guard let kind = Kind(rawValue: kindNumber) else { throw .invalid("unknown effect \(kindNumber)") }
        let number: UInt64 = try decoder.decode(forKey: 1)
        switch kind {
        case .granted:
            effect = .granted(
                claim: number, paths: try decoder.decodeIfPresent(forKey: 2) ?? [],
                keys: try decoder.decodeIfPresent(forKey: 3) ?? [],
                hasWaited: try decoder.decodeIfPresent(forKey: 4) ?? false)
        case .deadlock:
            effect = .denied(
                claim: number,
                .deadlock(
                    OtherClaim(
                        client: try decoder.decodeIfPresent(forKey: 4), number: try decoder.decode(forKey: 2)),
                    path: try decoder.decode(forKey: 3)))
        case .presenterFailed:
            effect = .denied(
                claim: number, .presenter(try decoder.decode(CoordinationErrorMessage.self, forKey: 2).failure))
        case .tooManyClaims:
            effect = .denied(claim: number, .tooManyClaims(limit: try decoder.decode(forKey: 2)))
        case .refused: effect = .denied(claim: number, .refused(reason: try decoder.decode(forKey: 3)))
        case .blockedPresenter:
            effect = .denied(claim: number, .blockedPresenter(path: try decoder.decode(forKey: 3)))
        case .prepare:
            let relinquishing: Preparation.Relinquishing = try decoder.decode(forKey: 3)
            effect = .prepare(
                Preparation(
                    number: number, presenter: try decoder.decode(forKey: 2), relinquishing: relinquishing,
                    saves: try decoder.decode(forKey: 4), deletesItem: try decoder.decode(forKey: 5),
                    evictsItem: try decoder.decodeIfPresent(forKey: 8) ?? false,
                    deletedSubitems: try decoder.decode(forKey: 6), timeLimit: try decoder.decode(forKey: 7)))
        case .reacquire: effect = .reacquire(preparation: number)
        case .notify:
            effect = .notify(presenter: number, try decoder.decode(NoticeMessage.self, forKey: 2).notice)
        }
    }

    func encode(to encoder: inout MessageEncoder) {
        func begin(_ kind: Kind, _ number: UInt64) {
            encoder.encode(kind.rawValue, forKey: 0)
            encoder.encode(number, forKey: 1)
        }
        switch effect {
        case .granted(let claim, let paths, let keys, let hasWaited):
            begin(.granted, claim)
            if !paths.isEmpty {
                encoder.encode(paths, forKey: 2)
                encoder.encode(keys, forKey: 3)
            }
            if hasWaited { encoder.encode(true, forKey: 4) }
        case .denied(let claim, .deadlock(let other, let path)):
            begin(.deadlock, claim)
            encoder.encode(other.number, forKey: 2)
            encoder.encode(path, forKey: 3)
            encoder.encodeIfPresent(other.client, forKey: 4)
        case .denied(let claim, .presenter(let failure)):
            begin(.presenterFailed, claim)
            encoder.encode(CoordinationErrorMessage(failure), forKey: 2)
        case .denied(let claim, .blockedPresenter(let path)):
            begin(.blockedPresenter, claim)
            encoder.encode(path, forKey: 3)
        case .denied(let claim, .refused(let reason)):
            begin(.refused, claim)
            encoder.encode(reason, forKey: 3)
        case .denied(let claim, .tooManyClaims(let limit)):
            begin(.tooManyClaims, claim)
            encoder.encode(limit, forKey: 2)
        case .prepare(let preparation):
            begin(.prepare, preparation.number)
            encoder.encode(preparation.presenter, forKey: 2)
            encoder.encode(preparation.relinquishing, forKey: 3)
            encoder.encode(preparation.saves, forKey: 4)
            encoder.encode(preparation.deletesItem, forKey: 5)
            encoder.encode(preparation.deletedSubitems, forKey: 6)
            encoder.encode(preparation.timeLimit, forKey: 7)
            if preparation.evictsItem { encoder.encode(true, forKey: 8) }
        case .reacquire(let preparation): begin(.reacquire, preparation)
        case .notify(let presenter, let notice):
            begin(.notify, presenter)
            encoder.encode(NoticeMessage(notice), forKey: 2)
        }
    }
}

extension Preparation.Relinquishing: MessageValue {}

/// Encoded as text. Paths that a process claims are checked by ``PathMessage``.
extension ExactPath: MessageValue {
    package func write(to encoder: inout MessageEncoder) { string.write(to: &encoder) }

    package static func read(from decoder: inout MessageDecoder) throws(MessageError) -> ExactPath {
        ExactPath(try String.read(from: &decoder))
    }
}

private struct NoticeMessage: Message {
    let notice: PresenterNotice

    init(_ notice: PresenterNotice) { self.notice = notice }

    private enum Kind: UInt64, MessageValue {
        case moved = 0
        case changed = 1
        case subitemChanged = 2
        case subitemMoved = 3
        case attributesChanged = 4
        case subitemAttributesChanged = 5
        case versionChanged = 6
        case subitemVersionChanged = 7
    }

    init(from decoder: inout MessageDecoder) throws(MessageError) {
        let kind: Kind = try decoder.decode(forKey: 0)
        switch kind {
        case .moved: notice = .moved(to: try decoder.decode(forKey: 1))
        case .changed: notice = .changed
        case .subitemChanged: notice = .subitemChanged(try decoder.decode(forKey: 1))
        case .subitemMoved:
            notice = .subitemMoved(from: try decoder.decode(forKey: 1), to: try decoder.decode(forKey: 2))
        case .attributesChanged: notice = .attributesChanged(try decoder.decode(forKey: 3))
        case .subitemAttributesChanged:
            notice = .subitemAttributesChanged(try decoder.decode(forKey: 1), try decoder.decode(forKey: 3))
        case .versionChanged:
            notice = .versionChanged(try decoder.decode(forKey: 1), try decoder.decode(forKey: 4))
        case .subitemVersionChanged:
            notice = .subitemVersionChanged(try decoder.decode(forKey: 1), try decoder.decode(forKey: 4))
        }
    }

    func encode(to encoder: inout MessageEncoder) {
        switch notice {
        case .moved(let path):
            encoder.encode(Kind.moved, forKey: 0)
            encoder.encode(path, forKey: 1)
        case .changed: encoder.encode(Kind.changed, forKey: 0)
        case .subitemChanged(let path):
            encoder.encode(Kind.subitemChanged, forKey: 0)
            encoder.encode(path, forKey: 1)
        case .subitemMoved(let old, let new):
            encoder.encode(Kind.subitemMoved, forKey: 0)
            encoder.encode(old, forKey: 1)
            encoder.encode(new, forKey: 2)
        case .attributesChanged(let names):
            encoder.encode(Kind.attributesChanged, forKey: 0)
            encoder.encode(names, forKey: 3)
        case .subitemAttributesChanged(let path, let names):
            encoder.encode(Kind.subitemAttributesChanged, forKey: 0)
            encoder.encode(path, forKey: 1)
            encoder.encode(names, forKey: 3)
        case .versionChanged(let path, let change):
            encoder.encode(Kind.versionChanged, forKey: 0)
            encoder.encode(path, forKey: 1)
            encoder.encode(change, forKey: 4)
        case .subitemVersionChanged(let path, let change):
            encoder.encode(Kind.subitemVersionChanged, forKey: 0)
            encoder.encode(path, forKey: 1)
            encoder.encode(change, forKey: 4)
        }
    }
}

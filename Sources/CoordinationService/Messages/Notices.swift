import Conduit
import FileCoordination
import LinuxSystem

/// An event that a process sends to the daemon's arbiter. It is a notice and not a call, because a claim may wait for
/// days. The reply is an effect.
package struct EventNotice: Notice {
    /// The number of the notice. It is greater than those of the exchange's notices, which are served on the same
    /// socket.
    package static var method: UInt64 { 64 }
    package let event: CoordinationEvent
    /// The open file that a confined process wants to read. It is sent together with the claim.
    package let handed: FileDescriptor?

    package init(_ event: CoordinationEvent) {
        self.event = event
        handed = if case .claim(let request) = event { request.handed } else { nil }
    }

    fileprivate enum Kind: UInt64 {
        case claim = 0
        case adopt = 1
        case release = 2
        case cancel = 3
        case answer = 4
        case present = 5
        case removePresenter = 6
        case moved = 7
        case changedAttributes = 8
        case changedVersion = 9
        case adoptedAll = 10
        case plainClaim = 11
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        let number: UInt64 = try decoder.decode(forKey: 0)
        guard let kind = Kind(rawValue: number) else { throw .invalid("unknown event \(number)") }
        switch kind {
        case .claim: event = .claim(try decoder.decode(ClaimMessage.self, forKey: 2).request)
        case .plainClaim: event = .claim(try ClaimRequest(plainFrom: &decoder))
        case .adopt: event = .adopt(try decoder.decode(ClaimMessage.self, forKey: 2).request)
        case .adoptedAll: event = .adoptedAll
        case .release:
            let claim: UInt64 = try decoder.decode(forKey: 1)
            let outcomes = try decoder.decodeArray(of: OutcomeMessage.self, forKey: 3, atMost: ClaimLimits.accesses)
            event = .release(claim: claim, outcomes: outcomes.map(\.outcome))
        case .cancel: event = .cancel(claim: try decoder.decode(forKey: 1))
        case .answer:
            event = .answer(
                preparation: try decoder.decode(forKey: 1),
                failure: try decoder.decodeIfPresent(CoordinationErrorMessage.self, forKey: 4)?.failure)
        case .present:
            event = .present(
                PresenterPlace(
                    number: try decoder.decode(forKey: 1),
                    path: try decoder.decodeIfPresent(PathMessage.self, forKey: 5)?.path,
                    key: try decoder.decodeIfPresent(PathMessage.self, forKey: 6)?.path))
        case .removePresenter: event = .removePresenter(try decoder.decode(forKey: 1))
        case .moved:
            event = .moved(
                ItemMove(
                    path: try decoder.decode(PathMessage.self, forKey: 5).path,
                    newPath: try decoder.decode(PathMessage.self, forKey: 6).path,
                    newKey: try decoder.decode(PathMessage.self, forKey: 7).path,
                    excepted: try decoder.decodeIfPresent(forKey: 8)))
        case .changedAttributes:
            event = .changedAttributes(
                path: try decoder.decode(PathMessage.self, forKey: 5).path,
                names: try decoder.decodeArray(forKey: 7, atMost: ClaimLimits.attributeNames),
                excepted: try decoder.decodeIfPresent(forKey: 8))
        case .changedVersion:
            event = .changedVersion(
                path: try decoder.decode(PathMessage.self, forKey: 5).path, try decoder.decode(forKey: 9))
        }
        // Decoded last, so that a message is read once from beginning to end.
        handed = kind == .claim ? try decoder.decodeIfPresent(forKey: 10) : nil
    }

    package func encode(to encoder: inout MessageEncoder) {
        switch event {
        case .claim(let request) where request.isPlain:
            encoder.encode(Kind.plainClaim.rawValue, forKey: 0)
            request.encodePlainly(to: &encoder)
        case .claim(let request):
            encoder.encode(Kind.claim.rawValue, forKey: 0)
            encoder.encode(ClaimMessage(request), forKey: 2)
            encoder.encodeIfPresent(handed, forKey: 10)
        case .adopt(let request):
            encoder.encode(Kind.adopt.rawValue, forKey: 0)
            encoder.encode(ClaimMessage(request), forKey: 2)
        case .adoptedAll: encoder.encode(Kind.adoptedAll.rawValue, forKey: 0)
        case .release(let claim, let outcomes):
            encoder.encode(Kind.release.rawValue, forKey: 0)
            encoder.encode(claim, forKey: 1)
            if !outcomes.isEmpty { encoder.encode(outcomes.map { OutcomeMessage($0) }, forKey: 3) }
        case .cancel(let claim):
            encoder.encode(Kind.cancel.rawValue, forKey: 0)
            encoder.encode(claim, forKey: 1)
        case .answer(let preparation, let failure):
            encoder.encode(Kind.answer.rawValue, forKey: 0)
            encoder.encode(preparation, forKey: 1)
            encoder.encodeIfPresent(failure.map { CoordinationErrorMessage($0) }, forKey: 4)
        case .present(let place):
            encoder.encode(Kind.present.rawValue, forKey: 0)
            encoder.encode(place.number, forKey: 1)
            encoder.encodeIfPresent(place.path.map { PathMessage($0) }, forKey: 5)
            encoder.encodeIfPresent(place.key.map { PathMessage($0) }, forKey: 6)
        case .removePresenter(let number):
            encoder.encode(Kind.removePresenter.rawValue, forKey: 0)
            encoder.encode(number, forKey: 1)
        case .moved(let move):
            encoder.encode(Kind.moved.rawValue, forKey: 0)
            encoder.encode(PathMessage(move.path), forKey: 5)
            encoder.encode(PathMessage(move.newPath), forKey: 6)
            encoder.encode(PathMessage(move.newKey), forKey: 7)
            encoder.encodeIfPresent(move.excepted, forKey: 8)
        case .changedAttributes(let path, let names, let excepted):
            encoder.encode(Kind.changedAttributes.rawValue, forKey: 0)
            encoder.encode(PathMessage(path), forKey: 5)
            encoder.encode(names, forKey: 7)
            encoder.encodeIfPresent(excepted, forKey: 8)
        case .changedVersion(let path, let change):
            encoder.encode(Kind.changedVersion.rawValue, forKey: 0)
            encoder.encode(PathMessage(path), forKey: 5)
            encoder.encode(change, forKey: 9)
        }
    }
}

/// The number of a claim whose other values cannot be decoded. The number suffices to refuse the claim.
struct FaultyClaim: Message {
    let number: UInt64

    init(from decoder: inout MessageDecoder) throws(MessageError) {
        let kind: UInt64 = try decoder.decode(forKey: 0)
        switch EventNotice.Kind(rawValue: kind) {
        case .claim: number = try decoder.decode(Number.self, forKey: 2).number
        case .plainClaim: number = try decoder.decode(forKey: 1)
        default: throw .invalid("it is no claim")
        }
    }

    // Never encoded.
    func encode(to encoder: inout MessageEncoder) {}

    private struct Number: Message {
        let number: UInt64

        init(from decoder: inout MessageDecoder) throws(MessageError) { number = try decoder.decode(forKey: 0) }
        func encode(to encoder: inout MessageEncoder) {}
    }
}

/// The effects that the daemon's arbiter sends to a process, in order.
package struct EffectsNotice: Notice {
    package static var method: UInt64 { 65 }
    package let effects: [CoordinationEffect]

    package init(_ effects: [CoordinationEffect]) { self.effects = effects }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        let first: EffectMessage? = try decoder.decodeIfPresent(forKey: 0)
        let others: [EffectMessage]? = try decoder.decodeIfPresent(forKey: 1)
        effects = (first.map { [$0.effect] } ?? []) + (others?.map(\.effect) ?? [])
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encodeIfPresent(effects.first.map { EffectMessage($0) }, forKey: 0)
        if effects.count > 1 { encoder.encode(effects.dropFirst().map { EffectMessage($0) }, forKey: 1) }
    }
}

import Conduit
import FileCoordination
import LinuxSystem

/// An event that a process sends to the daemon's arbiter. It is a notice and not a call, because a claim may wait for
/// days. The daemon sends the resulting effects in an ``EffectsNotice``.
package struct EventNotice: Notice, SchemaMessage {
    /// The number of the notice. It is greater than the numbers of the exchange's notices, which use the same socket.
    package static var method: UInt64 { 64 }
    package let event: CoordinationEvent
    /// The descriptor of the open file that a confined process wants to read; `nil` for other events. It is sent with
    /// the claim.
    package let handed: FileDescriptor?

    package init(_ event: CoordinationEvent) {
        let handed: FileDescriptor? = if case .claim(let request) = event { request.handed } else { nil }
        self.init(event, handed: handed)
    }

    private init(_ event: CoordinationEvent, handed: FileDescriptor?) {
        self.event = event
        self.handed = handed
    }

    package static let schema = Schema<EventNotice>(tag: 0) {
        Case(11, { Self(.claim($0)) }, ClaimRequest.plainSchema) {
            if case .claim(let request) = $0.event, request.isPlain { request } else { nil }
        }
        Case(0, { Self(.claim($0), handed: $1) }, Field(2, \.0), Field(10, \.1)) {
            if case .claim(let request) = $0.event { (request, $0.handed) } else { nil }
        }
        Case(1, { Self(.adopt($0)) }, Field(2, \.self)) {
            if case .adopt(let request) = $0.event { request } else { nil }
        }
        Case(
            2, { Self(.release(claim: $0, outcomes: $1)) }, Field(1, \.0),
            Field(3, unlessEmpty: \.1, atMost: ClaimLimits.accesses)
        ) {
            if case .release(let claim, let outcomes) = $0.event { (claim, outcomes) } else { nil }
        }
        Case(3, { Self(.cancel(claim: $0)) }, Field(1, \.self)) {
            if case .cancel(let claim) = $0.event { claim } else { nil }
        }
        Case(4, { Self(.answer(preparation: $0, failure: $1)) }, Field(1, \.0), Field(4, \.1)) {
            if case .answer(let preparation, let failure) = $0.event { (preparation, failure) } else { nil }
        }
        Case(
            5, { Self(.present(PresenterPlace(number: $0, path: $1?.path, key: $2?.path))) }, Field(1, \.number),
            Field(5, { $0.path.map { PathMessage($0) } }), Field(6, { $0.key.map { PathMessage($0) } })
        ) {
            if case .present(let place) = $0.event { place } else { nil }
        }
        Case(6, { Self(.removePresenter($0)) }, Field(1, \.self)) {
            if case .removePresenter(let number) = $0.event { number } else { nil }
        }
        Case(
            7, { Self(.moved(ItemMove(path: $0.path, newPath: $1.path, newKey: $2.path, excepted: $3))) },
            Field(5, { PathMessage($0.path) }), Field(6, { PathMessage($0.newPath) }),
            Field(7, { PathMessage($0.newKey) }), Field(8, \.excepted)
        ) {
            if case .moved(let move) = $0.event { move } else { nil }
        }
        Case(
            8, { Self(.changedAttributes(path: $0.path, names: $1, excepted: $2)) }, Field(5, { PathMessage($0.0) }),
            Field(7, \.1, atMost: ClaimLimits.attributeNames), Field(8, \.2)
        ) {
            if case .changedAttributes(let path, let names, let excepted) = $0.event {
                (path, names, excepted)
            } else {
                nil
            }
        }
        Case(9, { Self(.changedVersion(path: $0.path, $1)) }, Field(5, { PathMessage($0.0) }), Field(9, \.1)) {
            if case .changedVersion(let path, let change) = $0.event { (path, change) } else { nil }
        }
        Case(10, Self(.adoptedAll)) { if case .adoptedAll = $0.event { true } else { false } }
    }
}

/// The number of a claim whose other fields cannot be decoded. The number suffices to refuse the claim.
struct FaultyClaim: SchemaMessage {
    let number: UInt64

    init(number: UInt64) { self.number = number }

    /// The schema for decoding the number of a claim. Any other event cannot be decoded. The message is never encoded.
    static let schema = Schema<FaultyClaim>(tag: 0) {
        Case(11, Self.init, Field(1, \.number)) { $0 }
        Case(0, { Self(number: $0.number) }, Field(2, { Number(number: $0.number) })) { $0 }
    }

    private struct Number: SchemaMessage {
        let number: UInt64

        static let schema = Schema({ Number(number: $0) }, Field(0, \Number.number))
    }
}

/// The effects that the daemon's arbiter sends to a process, in order.
package struct EffectsNotice: Notice, SchemaMessage {
    package static var method: UInt64 { 65 }
    package let effects: [CoordinationEffect]

    package init(_ effects: [CoordinationEffect]) { self.effects = effects }

    // Most notices have one effect. The first effect is encoded as a field of its own, because an array with one
    // element takes longer.
    package static let schema = Schema(
        { EffectsNotice(($0.map { [$0] } ?? []) + $1) }, Field(0, \EffectsNotice.effects.first),
        Field(1, unlessEmpty: { Array($0.effects.dropFirst()) }))
}

import FileCoordination
import LinuxSystem

/// A test's own coordination, which counts the claims. A blocking call cannot report that it waits.
final class CountedCoordination: SharedCoordination {
    private final class Authority: CoordinationAuthority {
        let host: ArbiterHost

        init(_ receive: @escaping @Sendable ([CoordinationEffect]) -> Void) {
            host = ArbiterHost { _, effects in receive(effects) }
        }

        func send(_ event: CoordinationEvent) { host.apply(event, from: 0) }
        func findPlace(
            ofClaim number: UInt64, of client: UInt64, _ completion: @escaping @Sendable (String?) -> Void
        ) { completion(nil) }
    }

    private let authority = Lock<Authority?>(nil)

    func connect(
        receive: @escaping @Sendable ([CoordinationEffect]) -> Void,
        place: @escaping @Sendable (_ claim: UInt64) -> String?, lost: @escaping @Sendable () -> Void
    ) throws -> any CoordinationAuthority {
        let made = Authority(receive)
        authority.withLock { $0 = made }
        return made
    }

    /// The number of granted and waiting claims. A counted claim has already resolved the path of its item.
    var claimCount: Int { authority.withLock { $0 }?.host.claimCount ?? 0 }
}

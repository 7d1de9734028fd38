import Glibc

/// The claims that the current thread holds in accessors, and the preparations that it performs.
///
/// A new claim of this thread ends before these claims, so it must not wait for them.
final class ThreadClaims {
    private(set) var held: [UInt64] = []
    private(set) var answering: [UInt64] = []

    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key) { pointer in
            if let pointer { Unmanaged<ThreadClaims>.fromOpaque(pointer).release() }
        }
        return status == 0 ? key : nil
    }()

    /// The claims and preparations of the calling thread.
    static var current: ThreadClaims {
        guard let key else { return ThreadClaims() }
        if let pointer = pthread_getspecific(key) {
            return Unmanaged<ThreadClaims>.fromOpaque(pointer).takeUnretainedValue()
        }
        let claims = ThreadClaims()
        // The thread's own reference, which is released when the thread ends.
        pthread_setspecific(key, Unmanaged.passRetained(claims).toOpaque())
        return claims
    }

    /// Runs an accessor. During the run, the calling thread holds the given claim.
    static func holding<Result>(_ claim: UInt64, _ body: () throws -> Result) rethrows -> Result {
        let claims = current
        claims.held.append(claim)
        defer { claims.held.removeLast() }
        return try body()
    }

    /// Runs a presenter's code that performs the given preparation.
    static func answering<Result>(_ preparation: UInt64, _ body: () throws -> Result) rethrows -> Result {
        let claims = current
        claims.answering.append(preparation)
        defer { claims.answering.removeLast() }
        return try body()
    }
}

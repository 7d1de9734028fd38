import Conduit
import LinuxSystem

/// A store of passwords as one program sees it: the items of its access groups. Functions block.
package protocol SecretSource: Sendable {
    func add(_ request: AddSecretCall) throws(SecretError) -> SecretItem
    func find(_ request: FindSecretsCall) throws(SecretError) -> [SecretItem]
    func update(_ request: UpdateSecretsCall) throws(SecretError)
    func remove(_ request: RemoveSecretsCall) throws(SecretError)
}

/// The store at the other end of a connection. Functions must not be called on the connections' thread.
package struct ConnectedSecrets: SecretSource {
    private let connection: Connection

    package init(_ connection: Connection) { self.connection = connection }

    package func add(_ request: AddSecretCall) throws(SecretError) -> SecretItem { try call(request) }

    package func find(_ request: FindSecretsCall) throws(SecretError) -> [SecretItem] { try call(request).items }

    package func update(_ request: UpdateSecretsCall) throws(SecretError) { _ = try call(request) }

    package func remove(_ request: RemoveSecretsCall) throws(SecretError) { _ = try call(request) }

    private func call<C: Call>(_ request: C) throws(SecretError) -> C.Reply {
        do throws(ConduitError) { return try connection.callAndWait(request) } catch { throw SecretError(error) }
    }
}

/// The store that the functions of the module `Security` use in this process.
package enum SharedSecrets {
    // Leaf lock.
    private static let source = Lock<(any SecretSource)?>(nil)

    /// The store; `nil` until the runtime of this process has set one.
    package static var current: (any SecretSource)? { source.withLock { $0 } }

    package static func use(_ new: (any SecretSource)?) {
        // The old one is released after the lock is.
        let old = source.withLock { source in
            defer { source = new }
            return source
        }
        withExtendedLifetime(old) {}
    }
}

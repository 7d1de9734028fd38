import Conduit
import Foundation
import LinuxSystem

/// A store of passwords, limited to the access groups of one program. The functions block.
package protocol SecretSource: Sendable {
    func add(_ request: AddSecretCall) throws(SecretError) -> SecretItem
    func find(_ request: FindSecretsCall) throws(SecretError) -> [SecretItem]
    func update(_ request: UpdateSecretsCall) throws(SecretError)
    func remove(_ request: RemoveSecretsCall) throws(SecretError)
}

/// Accesses a store at the other end of a connection. The functions must not be called on the thread that serves
/// connections.
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

/// A class that creates the standard store. The class is in a module that depends on this module. Therefore it is
/// looked up by its name.
package protocol StandardSecretSource: AnyObject {
    static func make() -> any SecretSource
}

/// The store that the functions of the module `Security` use in this process.
package enum SharedSecrets {
    private enum Choice {
        /// The store of the user's daemon. It is used unless the program sets another store.
        case standard
        case set((any SecretSource)?)
    }

    // Leaf lock.
    private static let choice = Lock(Choice.standard)

    /// The store of the user's daemon; `nil` if the program does not contain the daemon's client.
    private static let standard: (any SecretSource)? =
        (NSClassFromString("Exchange.DaemonSecrets") as? any StandardSecretSource.Type)?.make()

    /// The store that this process uses; `nil` if there is none.
    package static var current: (any SecretSource)? {
        switch choice.withLock({ $0 }) {
        case .standard: standard
        case .set(let source): source
        }
    }

    package static func use(_ new: (any SecretSource)?) {
        // The old store is released after the lock was released.
        let old = choice.withLock { choice in
            defer { choice = .set(new) }
            return choice
        }
        withExtendedLifetime(old) {}
    }
}

import Conduit
import Dispatch
import Secrets

/// Accesses a store in the same process, limited to the access groups of one program.
package struct LocalSecrets: SecretSource {
    private let store: SecretStore
    private let groups: AccessGroups

    package init(_ store: SecretStore, groups: AccessGroups) {
        self.store = store
        self.groups = groups
    }

    package func add(_ request: AddSecretCall) throws(SecretError) -> SecretItem {
        try store.add(request, groups: groups)
    }

    package func find(_ request: FindSecretsCall) throws(SecretError) -> [SecretItem] {
        try store.find(request, groups: groups)
    }

    package func update(_ request: UpdateSecretsCall) throws(SecretError) { try store.update(request, groups: groups) }

    package func remove(_ request: RemoveSecretsCall) throws(SecretError) { try store.remove(request, groups: groups) }
}

/// Serves a store's calls to processes at the other ends of connections.
package struct SecretService: Sendable {
    private let store: SecretStore
    /// The serial queue on which calls run. A serial queue suffices, because calls block on the disk, and changes would
    /// wait for each other in any case.
    private let disk = DispatchQueue(label: "purvey.secrets")

    package init(_ store: SecretStore) { self.store = store }

    /// Adds the handlers of the four calls to a service.
    ///
    /// - Parameters:
    ///   - noting: called after each call, with the call's error, or with `nil` if the call succeeded.
    ///   - groups: returns the access groups of the process at the other end of a connection. They must not depend on
    ///     data that this other process sent. The closure may block.
    package func addCalls(
        to service: inout Service, noting: @escaping @Sendable (SecretError?) -> Void = { _ in },
        groups: @escaping @Sendable (Connection) -> AccessGroups
    ) {
        serve(AddSecretCall.self, in: &service, groups, noting) { (request, source) throws(SecretError) in
            try source.add(request)
        }
        serve(FindSecretsCall.self, in: &service, groups, noting) { (request, source) throws(SecretError) in
            FindSecretsCall.Reply(items: try source.find(request))
        }
        serve(UpdateSecretsCall.self, in: &service, groups, noting) { (request, source) throws(SecretError) in
            try source.update(request)
            return Empty()
        }
        serve(RemoveSecretsCall.self, in: &service, groups, noting) { (request, source) throws(SecretError) in
            try source.remove(request)
            return Empty()
        }
    }

    private func serve<C: Call>(
        _: C.Type, in service: inout Service, _ groups: @escaping @Sendable (Connection) -> AccessGroups,
        _ noting: @escaping @Sendable (SecretError?) -> Void,
        _ answer: @escaping @Sendable (C, LocalSecrets) throws(SecretError) -> C.Reply
    ) {
        service.on(C.self) { request, call in
            disk.async {
                do throws(SecretError) {
                    let reply = try answer(request, LocalSecrets(store, groups: groups(call.connection)))
                    noting(nil)
                    call.reply(reply)
                } catch {
                    noting(error)
                    call.fail(error.remote)
                }
            }
        }
    }
}

import AppExtension
import FileProviderWire
import FoundationAdditions
import LinuxSystem

/// A server for principal classes that are ``NSFileProviderReplicatedExtension``s. `NSExtensionMain()` finds it by its
/// name.
final class ReplicaServer: PrincipalServer {
    static func serves(_ principal: AnyClass) -> Bool { principal is any NSFileProviderReplicatedExtension.Type }

    static func serve(
        _ principal: AnyClass, _ socket: FileDescriptor, for bundle: ExtensionBundle,
        ended: @escaping @Sendable () -> Void
    ) throws {
        guard let type = principal as? any NSFileProviderReplicatedExtension.Type else {
            throw ExtensionBundleError("the class \(bundle.principalClass) is no file provider")
        }
        let principal = SendableType(type)
        let failsOnConflict = bundle.failsUploadsOnConflict
        let runtime = ProviderRuntime { request, connection throws(ProviderError) in
            guard let domain = request.replicatedDomain else {
                throw ProviderError(.unsupported, message: "a provider of this kind has no default domain")
            }
            request.install(on: connection, domain)
            let provider = ReplicaProvider(
                principal.type.init(domain: domain), domain, temporary: request.temporary,
                failsOnConflict: failsOnConflict)
            provider.followSets(NSFileProviderManager.backend)
            return provider
        }
        // The connection retains the runtime while it is open.
        try runtime.serve(socket, ended: ended)
    }
}

import AppExtension
import LinuxSystem

extension NSFileProviderExtension: ServingPrincipal {
    package static func serve(
        _ socket: FileDescriptor, for bundle: ExtensionBundle, ended: @escaping @Sendable () -> Void
    ) throws {
        let principal = Principal(type: self)
        let importsLinks = bundle.importsSymbolicLinks == true
        let runtime = ProviderRuntime { request, connection in
            request.install(on: connection)
            let document = ExtensionSurroundings.$domain.withValue(request.managedDomain) {
                PrincipalClass.object(of: principal.type)
            }
            return DocumentProvider(document, temporary: request.temporary, importsLinks: importsLinks)
        }
        // The connection retains the runtime while it is open.
        try runtime.serve(socket, ended: ended)
    }

    /// A principal class. Sendable because a class object has no mutable state.
    private struct Principal: @unchecked Sendable {
        let type: NSFileProviderExtension.Type
    }
}

import AppExtension
import FileProviderWire
import FoundationAdditions
import LinuxSystem

extension NSFileProviderExtension: ServingPrincipal {
    package static func serve(
        _ socket: FileDescriptor, for bundle: ExtensionBundle, ended: @escaping @Sendable () -> Void
    ) throws {
        let principal = SendableType(self)
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
}

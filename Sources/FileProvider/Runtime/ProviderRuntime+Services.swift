import Conduit
import FileProviderWire
import Foundation
import LinuxSystem

/// Services that the provider offers to programs.
extension ProviderRuntime {
    func addServices(to service: inout Service) {
        on(ProviderServicesCall.self, key: { _ in nil }, in: &service) {
            request, provider, engineRequest throws(ProviderError) in
            let sources = try provider.services(of: request.identifier, engineRequest).offered(toOwn: request.isOwn)
            return .init(names: sources.map(\.serviceName.rawValue))
        }
        // This request has no time limit, unlike others, because it lasts until the program closes its connection,
        // which may never happen.
        service.on(ProviderServiceCall.self) { request, call in
            let (provider, limit) = self.providerAndLimit
            HandlerThreads.shared.runHandler {
                do {
                    guard let provider else {
                        throw ProviderError(.transient, message: "the provider has not been made yet")
                    }
                    try Self.serve(request, provider, limit, call)
                } catch {
                    call.reply(.failed(ProviderError(error)))
                }
            }
        }
    }

    private static func serve(
        _ request: ProviderServiceCall, _ provider: any ServedProvider, _ limit: Duration,
        _ call: ServedCall<ProviderServiceCall>
    ) throws {
        // The time limit applies only to the search for the service.
        let engineRequest = EngineRequest(limit: limit, report: { _, _ in }, isOver: { _ in })
        defer { engineRequest.finish() }
        let sources = try provider.services(of: request.identifier, engineRequest).offered(toOwn: request.isOwn)
        guard let source = sources.first(where: { $0.serviceName.rawValue == request.name }) else {
            throw ProviderError(
                .unsupported, message: "The provider does not offer the service \(request.name) for this item.")
        }
        let endpoint = try source.makeListenerEndpoint()
        let end = try endpoint.serve(request.socket) { call.reply(.done(Empty())) }
        call.onCancel(end)
        call.report(completed: 0, total: 0)
    }
}

extension ServiceSources {
    /// Returns the sources that a program may use.
    ///
    /// - Parameter isOwn: whether the program belongs to the provider. Such a program may also use restricted services.
    fileprivate func offered(toOwn isOwn: Bool) -> [any NSFileProviderServiceSource] {
        sources.filter { isOwn || !$0.isRestricted }
    }
}

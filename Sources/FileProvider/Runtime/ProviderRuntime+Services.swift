import Conduit
import Foundation
import LinuxSystem

/// Services for programs.
extension ProviderRuntime {
    func addServices(to service: inout Service) {
        on(ProviderServicesCall.self, key: { _ in nil }, in: &service) { request, provider, _ throws(ProviderFailure) in
            let sources = try provider.sources(of: request.identifier, isOwn: request.isOwn)
            return .init(names: sources.map(\.serviceName.rawValue))
        }
        // Not as other questions: it is over when the program has closed its end, which may be never.
        service.on(ProviderServiceCall.self) { request, call in
            let provider = self.provider
            HandlerThreads.shared.runHandler {
                do {
                    guard let provider else {
                        throw ProviderFailure(.transient, message: "the provider has not been made yet")
                    }
                    try Self.serve(request, provider, call)
                } catch {
                    call.reply(.failed(ProviderFailure(error)))
                }
            }
        }
    }

    private static func serve(
        _ request: ProviderServiceCall, _ provider: ProviderObject, _ call: ServedCall<ProviderServiceCall>
    ) throws {
        let sources = try provider.sources(of: request.identifier, isOwn: request.isOwn)
        guard let source = sources.first(where: { $0.serviceName.rawValue == request.name }) else {
            throw ProviderFailure(
                .unsupported, message: "The provider does not offer the service \(request.name) for this item.")
        }
        let endpoint = try source.makeListenerEndpoint()
        let end = try endpoint.serve(request.socket) { call.reply(.done(Empty())) }
        call.onCancel(end)
        call.report(completed: 0, total: 0)
    }
}

extension ProviderObject {
    fileprivate func sources(
        of identifier: String, isOwn: Bool
    ) throws(ProviderFailure) -> [any NSFileProviderServiceSource] {
        do {
            return try object.supportedServiceSources(for: NSFileProviderItemIdentifier(identifier))
                .filter { isOwn || !$0.isRestricted }
        } catch {
            throw ProviderFailure(error)
        }
    }
}

import Conduit
import Foundation
import LinuxSystem

/// Services for programs.
extension ProviderRuntime {
    func addServices(to service: inout Service) {
        on(ProviderServicesCall.self, key: { _ in nil }, in: &service) {
            request, provider, question throws(ProviderFailure) in
            let sources = try provider.services(of: request.identifier, question).offered(toOwn: request.isOwn)
            return .init(names: sources.map(\.serviceName.rawValue))
        }
        // Not as other questions: it is over when the program has closed its end, which may be never.
        service.on(ProviderServiceCall.self) { request, call in
            let (provider, limit) = self.providerAndLimit
            HandlerThreads.shared.runHandler {
                do {
                    guard let provider else {
                        throw ProviderFailure(.transient, message: "the provider has not been made yet")
                    }
                    try Self.serve(request, provider, limit, call)
                } catch {
                    call.reply(.failed(ProviderFailure(error)))
                }
            }
        }
    }

    private static func serve(
        _ request: ProviderServiceCall, _ provider: any ServedProvider, _ limit: Duration,
        _ call: ServedCall<ProviderServiceCall>
    ) throws {
        // Only finding the service has a time limit.
        let question = Question(limit: limit, report: { _, _ in }, isOver: { _ in })
        defer { question.finish() }
        let sources = try provider.services(of: request.identifier, question).offered(toOwn: request.isOwn)
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

extension ServiceSources {
    /// - Parameter isOwn: whether a program of the provider's own asks.
    fileprivate func offered(toOwn isOwn: Bool) -> [any NSFileProviderServiceSource] {
        sources.filter { isOwn || !$0.isRestricted }
    }
}

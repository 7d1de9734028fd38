import Conduit
import Foundation
import LinuxSystem
import UniformTypeIdentifiers

/// Files that programs use at their places in the document storage.
extension ProviderRuntime {
    func addCoordination(to service: inout Service) {
        on(ProviderIdentifyCall.self, key: { _ in nil }, in: &service) { request, provider, _ throws(ProviderFailure) in
            let identifier = provider.object.persistentIdentifierForItem(at: URL(fileURLWithPath: request.path))
            return .init(identifier: identifier.flatMap { $0 == .rootContainer ? nil : $0.rawValue })
        }
        on(ProviderStartCall.self, .transfer, key: \.identifier, in: &service) {
            request, provider, question throws(ProviderFailure) in
            try Self.start(request, provider, question)
        }
        on(ProviderChangedCall.self, key: \.identifier, in: &service) {
            request, provider, _ throws(ProviderFailure) in
            provider.object.itemChanged(at: URL(fileURLWithPath: request.path))
            return Empty()
        }
    }

    private static func start(
        _ request: ProviderStartCall, _ provider: ProviderObject, _ question: Question
    ) throws(ProviderFailure) -> Empty {
        if let status = try? FileStatus.of(request.path), status.kind == .directory {
            // A folder is there without being fetched; a package is one document, with everything in it.
            let name = URL(fileURLWithPath: request.path).pathExtension
            guard let type = UTType(filenameExtension: name), type.conforms(to: .package) else { return Empty() }
        }
        let url = URL(fileURLWithPath: request.path)
        if request.wantsContents {
            try provide(url, provider, question, size: 0)
        } else {
            try providePlaceholder(url, provider, question)
        }
        return Empty()
    }
}

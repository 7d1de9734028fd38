import AppExtension
import FileCoordination
import FileProviderWire
import Foundation
import FoundationAdditions
import ItemValues
import LinuxSystem
import UniformTypeIdentifiers

/// The adapter for an ``NSFileProviderExtension``, a provider that stores its files itself.
///
/// Sendable because only provider code uses the object, and Apple's system has always called such classes from any
/// thread.
final class DocumentProvider: ServedProvider, @unchecked Sendable {
    let document: NSFileProviderExtension
    let temporary: String
    /// Whether the provider imports symbolic links as links.
    let importsLinks: Bool

    init(_ document: NSFileProviderExtension, temporary: String, importsLinks: Bool) {
        self.document = document
        self.temporary = temporary
        self.importsLinks = importsLinks
    }

    var object: any NSObjectProtocol { document }

    func item(_ identifier: String, _ engineRequest: EngineRequest) throws(ProviderError) -> ProviderItem {
        do {
            return ProviderItem(try document.item(for: NSFileProviderItemIdentifier(identifier)))
        } catch {
            let failure = ProviderError(error)
            if identifier == ProviderItem.rootIdentifier, let root = failure.root(named: document.domain?.displayName) {
                return root
            }
            throw failure
        }
    }

    func enumerator(of container: String) throws -> any NSFileProviderEnumerator {
        try document.enumerator(for: NSFileProviderItemIdentifier(container))
    }

    func fetchThumbnails(
        for identifiers: [NSFileProviderItemIdentifier], requestedSize size: CGSize,
        perThumbnailCompletionHandler: @escaping @Sendable (NSFileProviderItemIdentifier, Data?, (any Error)?) -> Void,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) -> Progress {
        document.fetchThumbnails(
            for: identifiers, requestedSize: size, perThumbnailCompletionHandler: perThumbnailCompletionHandler,
            completionHandler: completionHandler)
    }

    func services(of identifier: String, _ engineRequest: EngineRequest) throws(ProviderError) -> ServiceSources {
        do {
            let sources = try document.supportedServiceSources(for: NSFileProviderItemIdentifier(identifier))
            return ServiceSources(sources: sources)
        } catch {
            throw ProviderError(error)
        }
    }

    func end() {}

    // MARK: Places in the storage

    /// Returns the URL of an item's file in the document storage, whether or not the file exists.
    func url(of identifier: String) throws(ProviderError) -> URL {
        guard let url = document.urlForItem(withPersistentIdentifier: NSFileProviderItemIdentifier(identifier)) else {
            throw ProviderError(.noSuchItem, message: "the provider has no place for the item \(identifier)")
        }
        guard url.isFileURL else {
            throw ProviderError(.badAnswer, message: "the provider's place for the item \(identifier) is not a file")
        }
        return url
    }

    func stopProviding(_ identifier: String) throws(ProviderError) {
        document.stopProvidingItem(at: try url(of: identifier))
    }

    func identifier(ofFileAt path: String) -> String? {
        let identifier = document.persistentIdentifierForItem(at: URL(fileURLWithPath: path))
        return identifier.flatMap { $0 == .rootContainer ? nil : $0.rawValue }
    }

    func start(_ request: ProviderStartCall, _ engineRequest: EngineRequest) throws(ProviderError) {
        if let status = try? FileStatus.of(request.path), status.kind == .directory {
            // A directory need not be fetched, unless it is a package, which is one document with all its contents.
            let name = URL(fileURLWithPath: request.path).pathExtension
            guard let type = UTType(filenameExtension: name), type.conforms(to: .package) else { return }
        }
        let url = URL(fileURLWithPath: request.path)
        if request.wantsContents {
            try provide(url, identifier(ofFileAt: request.path), engineRequest, size: 0)
        } else {
            try providePlaceholder(url, engineRequest)
        }
    }

    func noteChange(at path: String) {
        ChangeNoting.run { document.itemChanged(at: URL(fileURLWithPath: path)) }
    }
}

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

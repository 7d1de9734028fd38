import DomainMessages
import Foundation
import FoundationAdditions
import LinuxSystem

/// The name of a provider's service.
///
/// Source: Foundation, `NSFileManager.h`.
public struct NSFileProviderServiceName: Hashable, RawRepresentable, Sendable {
    /// The name.
    public let rawValue: String
    /// Creates a name from a text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// Creates a name from a text.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A service that a provider offers for its items.
///
/// Source: FileProvider, `NSFileProviderService.h`.
public protocol NSFileProviderServiceSource {
    /// The name of the service.
    var serviceName: NSFileProviderServiceName { get }
    /// Returns an endpoint for connections to the service. Called on any thread, each time a program connects.
    func makeListenerEndpoint() throws -> NSXPCListenerEndpoint
    /// Whether only the provider's own programs may use the service.
    var isRestricted: Bool { get }
}

extension NSFileProviderServiceSource {
    /// Whether only the provider's own programs may use the service. The default is `false`.
    public var isRestricted: Bool { false }
}

/// A service that a provider offers for an item, in the form that programs use.
///
/// Source: Foundation, `NSFileManager.h`.
open class NSFileProviderService: NSObject {
    private let serviceName: NSFileProviderServiceName
    private let item: ItemServicesCall.Value
    private let link: DaemonLink

    init(_ name: String, of item: ItemServicesCall.Value, _ link: DaemonLink) {
        serviceName = NSFileProviderServiceName(name)
        self.item = item
        self.link = link
        super.init()
    }

    /// The name of the service.
    open var name: NSFileProviderServiceName { serviceName }

    /// Connects to the service. Starts the provider's process if it does not run.
    ///
    /// - Parameter completionHandler: called on a separate thread, with a connection that the caller must resume.
    open func getFileProviderConnection(
        completionHandler: @escaping @Sendable (NSXPCConnection?, (any Error)?) -> Void
    ) {
        let first = OneShotHandler()
        let name = serviceName.rawValue
        link.ask(OpenServiceCall(domain: item.domain, item: item.item, name: name)) { result in
            first.run {
                switch result {
                case .success(let value): completionHandler(NSXPCConnection(value.socket, name: name), nil)
                case .failure(let failure): completionHandler(nil, failure.error)
                }
            }
        }
    }
    /// Connects to the service. Starts the provider's process if it does not run.
    ///
    /// - Returns: a connection that the caller must resume.
    open func fileProviderConnection() async throws -> NSXPCConnection {
        try await NSFileProviderManager.answer { answer in
            getFileProviderConnection { connection, error in
                answer(connection.map { .success($0) } ?? .failure(error ?? CocoaError(.featureUnsupported)))
            }
        }
    }
}

/// The services of one item. They are created for one request, and used only by the code that receives them.
private typealias FoundServices = Disconnected<[NSFileProviderServiceName: NSFileProviderService]>

extension FoundServices {
    fileprivate init(_ item: ItemServicesCall.Value, _ link: DaemonLink) {
        self.init(
            Dictionary(
                item.names.map { (NSFileProviderServiceName($0), NSFileProviderService($0, of: item, link)) }
            ) { first, _ in first })
    }

    fileprivate static func find(
        _ request: ItemServicesCall, _ completion: @escaping @Sendable (Result<FoundServices, any Error>) -> Void
    ) {
        guard let link = DaemonLink.shared else {
            return completion(.failure(NSFileProviderError(.providerNotFound)))
        }
        link.ask(request) { result in
            completion(result.map { FoundServices($0, link) }.mapError { $0.error })
        }
    }
}

extension FileManager {
    /// Returns the services that a file's provider offers for the file, by name. Fails if the file is not in a domain.
    ///
    /// - Parameters:
    ///   - url: a file in a mounted domain, or in the provider's document storage.
    ///   - completionHandler: called on a separate thread.
    public func getFileProviderServicesForItem(
        at url: URL,
        completionHandler:
            @escaping @Sendable ([NSFileProviderServiceName: NSFileProviderService]?, (any Error)?) -> Void
    ) {
        let first = OneShotHandler()
        guard url.isFileURL else {
            return first.run { completionHandler(nil, CocoaError(.fileReadUnsupportedScheme)) }
        }
        HandlerThreads.shared.run {
            // Symbolic links are resolved in the directories only. If the last component is a link, the link itself is
            // the item.
            let url = url.standardizedFileURL
            let folder = url.deletingLastPathComponent().resolvingSymlinksInPath()
            let path = folder.appendingPathComponent(url.path.lastPathName).path
            FoundServices.find(ItemServicesCall(place: .path(path))) { result in
                first.run {
                    switch result {
                    case .success(let found): completionHandler(found.value, nil)
                    case .failure(let error): completionHandler(nil, error)
                    }
                }
            }
        }
    }

    /// Returns the services that a file's provider offers for the file, by name. Fails if the file is not in a domain.
    ///
    /// - Parameter url: a file in a mounted domain, or in the provider's document storage.
    public func fileProviderServicesForItem(
        at url: URL
    ) async throws -> [NSFileProviderServiceName: NSFileProviderService] {
        let found: FoundServices = try await NSFileProviderManager.answer { answer in
            getFileProviderServicesForItem(at: url) { services, error in
                let result = Result { () throws in try FoundServices(services, error) }
                answer(result)
            }
        }
        return found.value
    }
}

extension FoundServices {
    fileprivate init(
        _ services: [NSFileProviderServiceName: NSFileProviderService]?, _ error: (any Error)?
    ) throws {
        guard let services else { throw error ?? CocoaError(.featureUnsupported) }
        self.init(services)
    }
}

extension NSFileProviderManager {
    /// Returns a service that the provider offers for an item, including restricted services
    /// (``NSFileProviderServiceSource/isRestricted``); `nil` if the provider does not offer the service.
    ///
    /// - Parameter completionHandler: called on a separate thread.
    public func getService(
        named serviceName: NSFileProviderServiceName, for itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable (NSFileProviderService?, (any Error)?) -> Void
    ) {
        let first = OneShotHandler()
        let request = ItemServicesCall(
            place: .item(itemIdentifier.rawValue, domain: domain?.identifier.rawValue))
        FoundServices.find(request) { result in
            first.run {
                switch result {
                case .success(let found): completionHandler(found.value[serviceName], nil)
                case .failure(let error): completionHandler(nil, error)
                }
            }
        }
    }

    /// Returns a service that the provider offers for an item, including restricted services
    /// (``NSFileProviderServiceSource/isRestricted``); `nil` if the provider does not offer the service.
    public func service(
        named serviceName: NSFileProviderServiceName, for itemIdentifier: NSFileProviderItemIdentifier
    ) async throws -> NSFileProviderService? {
        let found: Disconnected<NSFileProviderService?> = try await Self.answer { answer in
            getService(named: serviceName, for: itemIdentifier) { service, error in
                answer(error.map { .failure($0) } ?? .success(Disconnected(service)))
            }
        }
        return found.value
    }
}

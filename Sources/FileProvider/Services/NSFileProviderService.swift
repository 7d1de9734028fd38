import Foundation
import LinuxSystem

/// What a service of a provider is called.
///
/// Source: Foundation, `NSFileManager.h`.
public struct NSFileProviderServiceName: Hashable, RawRepresentable, Sendable {
    /// The name.
    public let rawValue: String
    /// A service's name.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// A service's name.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A service that a provider offers for its items.
///
/// Source: FileProvider, `NSFileProviderService.h`.
public protocol NSFileProviderServiceSource {
    /// What the service is called.
    var serviceName: NSFileProviderServiceName { get }
    /// What the service is reached by. Called for each program that connects, on any thread.
    func makeListenerEndpoint() throws -> NSXPCListenerEndpoint
    /// Whether only programs of the provider's own may use it.
    var isRestricted: Bool { get }
}

extension NSFileProviderServiceSource {
    /// Every program may use it.
    public var isRestricted: Bool { false }
}

/// A service that a provider offers for an item, as a program has it.
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

    /// What it is called.
    open var name: NSFileProviderServiceName { serviceName }

    /// Connects to the service: the provider's process is started if there is none.
    ///
    /// - Parameter completionHandler: called on a thread of its own, with a connection that is to be resumed.
    open func getFileProviderConnection(
        completionHandler: @escaping @Sendable (NSXPCConnection?, (any Error)?) -> Void
    ) {
        let first = FirstAnswer()
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
    /// Connects to the service: the provider's process is started if there is none.
    ///
    /// - Returns: a connection that is to be resumed.
    open func fileProviderConnection() async throws -> NSXPCConnection {
        try await NSFileProviderManager.answer { answer in
            getFileProviderConnection { connection, error in
                answer(connection.map { .success($0) } ?? .failure(error ?? CocoaError(.featureUnsupported)))
            }
        }
    }
}

/// The services of one item. Made when they are asked for, and handed on once.
private struct FoundServices: @unchecked Sendable {
    // Sendable: whoever gets it has made none of the services known to anybody else.
    let services: [NSFileProviderServiceName: NSFileProviderService]

    init(_ item: ItemServicesCall.Value, _ link: DaemonLink) {
        services = Dictionary(
            item.names.map { (NSFileProviderServiceName($0), NSFileProviderService($0, of: item, link)) }
        ) { first, _ in first }
    }

    static func find(
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
    /// The services that a file's provider offers for it, by their names. Of an ordinary file there are none, and an error.
    ///
    /// - Parameters:
    ///   - url: in a mounted domain, or in the provider's document storage.
    ///   - completionHandler: called on a thread of its own.
    public func getFileProviderServicesForItem(
        at url: URL,
        completionHandler:
            @escaping @Sendable ([NSFileProviderServiceName: NSFileProviderService]?, (any Error)?) -> Void
    ) {
        let first = FirstAnswer()
        guard url.isFileURL else {
            return first.run { completionHandler(nil, CocoaError(.fileReadUnsupportedScheme)) }
        }
        HandlerThreads.shared.run {
            // A link at its end is the item itself.
            let url = url.standardizedFileURL
            let folder = url.deletingLastPathComponent().resolvingSymlinksInPath()
            let path = folder.appendingPathComponent(url.path.lastPathName).path
            FoundServices.find(ItemServicesCall(place: .path(path))) { result in
                first.run {
                    switch result {
                    case .success(let found): completionHandler(found.services, nil)
                    case .failure(let error): completionHandler(nil, error)
                    }
                }
            }
        }
    }

    /// The services that a file's provider offers for it, by their names. Of an ordinary file there are none, and an error.
    ///
    /// - Parameter url: in a mounted domain, or in the provider's document storage.
    public func fileProviderServicesForItem(
        at url: URL
    ) async throws -> [NSFileProviderServiceName: NSFileProviderService] {
        let found: FoundServices = try await NSFileProviderManager.answer { answer in
            getFileProviderServicesForItem(at: url) { services, error in
                let result = Result { () throws in try FoundServices(services, error) }
                answer(result)
            }
        }
        return found.services
    }
}

extension FoundServices {
    fileprivate init(
        _ services: [NSFileProviderServiceName: NSFileProviderService]?, _ error: (any Error)?
    ) throws {
        guard let services else { throw error ?? CocoaError(.featureUnsupported) }
        self.services = services
    }
}

extension NSFileProviderManager {
    /// A service that the provider offers for an item, one for the provider's own programs too; `nil` where it does not offer it.
    ///
    /// - Parameter completionHandler: called on a thread of its own.
    public func getService(
        named serviceName: NSFileProviderServiceName, for itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable (NSFileProviderService?, (any Error)?) -> Void
    ) {
        let first = FirstAnswer()
        let request = ItemServicesCall(
            place: .item(itemIdentifier.rawValue, domain: domain?.identifier.rawValue))
        FoundServices.find(request) { result in
            first.run {
                switch result {
                case .success(let found): completionHandler(found.services[serviceName], nil)
                case .failure(let error): completionHandler(nil, error)
                }
            }
        }
    }

    /// A service that the provider offers for an item, one for the provider's own programs too; `nil` where it does not offer it.
    public func service(
        named serviceName: NSFileProviderServiceName, for itemIdentifier: NSFileProviderItemIdentifier
    ) async throws -> NSFileProviderService? {
        let found: FoundService = try await Self.answer { answer in
            getService(named: serviceName, for: itemIdentifier) { service, error in
                answer(error.map { .failure($0) } ?? .success(FoundService(service: service)))
            }
        }
        return found.service
    }
}

/// One service on its way to whoever asked for it.
private struct FoundService: @unchecked Sendable {
    // Sendable: it is handed on once, by whoever has just made it.
    let service: NSFileProviderService?
}

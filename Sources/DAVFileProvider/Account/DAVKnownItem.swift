import FileProvider
import HTTPTransport
import WebDAVClient

/// An item of the domain, with its address at the server.
public struct DAVKnownItem: Sendable {
    let item: CataloguedItem
    /// The identifier by which the system knows the item.
    public let identifier: NSFileProviderItemIdentifier
    /// The address, with a slash at its end for a folder.
    public let address: HTTPAddress

    /// The name; empty for the root.
    public var name: String { item.name }
    /// Whether the item is a folder.
    public var isFolder: Bool { item.isFolder }
    /// The version that the server reported last.
    public var version: DAVVersion { item.version }
    /// The properties that only this kind of service has.
    public var traits: DAVTraits { item.traits }
}

import Conduit
import FileProviderWire

/// A request to search for items at the services of one domain or of all domains. The daemon reports the number of
/// results so far as progress. Cancelling the request ends the searches.
package struct SearchProvidersCall: Call, SchemaMessage {
    package static var method: UInt64 { DomainMethod.searchProviders }
    /// The name of the domain to search; `nil` for all domains whose provider supports search.
    package let domain: String?
    /// The text that the user searches for.
    package let query: String
    package let limit: Int

    package init(domain: String?, query: String, limit: Int) {
        self.domain = domain
        self.query = query
        self.limit = limit
    }

    package static let schema = Schema(Self.init, Field(0, \.domain), Field(1, \.query), Field(2, \.limit))

    package struct Reply: SchemaMessage {
        /// The found items, ordered by the names of their domains. The items of one domain are ordered by relevance,
        /// the best first.
        package let items: [ProvidedItemDescription]
        /// Sentences about the failures, one for each domain that failed.
        package let faults: [String]

        package init(items: [ProvidedItemDescription], faults: [String]) {
            self.items = items
            self.faults = faults
        }

        package static let schema = Schema(Self.init, Field(0, \.items), Field(1, \.faults))
    }
}

/// An item that a provider's service found.
package struct ProvidedItemDescription: SchemaMessage, Equatable {
    /// The name of the item's domain.
    package let domain: String
    package let result: ProviderSearchResult
    /// The path in the domain, as in ``FoundItemDescription``; `nil` if the item is not known locally.
    package let path: String?
    /// The path in the mount; `nil` if the domain is not mounted or the item is not known locally.
    package let mountedPath: String?

    package init(domain: String, result: ProviderSearchResult, path: String?, mountedPath: String?) {
        self.domain = domain
        self.result = result
        self.path = path
        self.mountedPath = mountedPath
    }

    package static let schema = Schema(
        Self.init, Field(0, \.domain), Field(1, \.result), Field(2, \.path), Field(3, \.mountedPath))
}

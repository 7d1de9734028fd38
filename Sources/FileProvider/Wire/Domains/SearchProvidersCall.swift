import Conduit

/// A request to search for items at the services of domains. It reports progress in results. Cancelling it ends the
/// searches.
package struct SearchProvidersCall: Call {
    package static var method: UInt64 { DomainMethod.searchProviders }
    /// The name of the only domain to search; `nil` for all whose providers can search.
    package let domain: String?
    /// The user's query.
    package let query: String
    package let limit: Int

    package init(domain: String?, query: String, limit: Int) {
        self.domain = domain
        self.query = query
        self.limit = limit
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        domain = try decoder.decodeIfPresent(forKey: 0)
        query = try decoder.decode(forKey: 1)
        limit = try decoder.decode(forKey: 2)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encodeIfPresent(domain, forKey: 0)
        encoder.encode(query, forKey: 1)
        encoder.encode(limit, forKey: 2)
    }

    package struct Reply: Message {
        /// The items found, by domain in the order of their names; within a domain, the best first.
        package let items: [ProvidedItemDescription]
        /// The failures, one sentence per domain.
        package let faults: [String]

        package init(items: [ProvidedItemDescription], faults: [String]) {
            self.items = items
            self.faults = faults
        }

        package init(from decoder: inout MessageDecoder) throws(MessageError) {
            items = try decoder.decode(forKey: 0)
            faults = try decoder.decode(forKey: 1)
        }

        package func encode(to encoder: inout MessageEncoder) {
            encoder.encode(items, forKey: 0)
            encoder.encode(faults, forKey: 1)
        }
    }
}

/// An item that a service found.
package struct ProvidedItemDescription: Message, Equatable {
    /// The domain's name.
    package let domain: String
    package let result: ProviderSearchResult
    /// The path in the domain, as in ``FoundItemDescription``; `nil` if the item is not known locally.
    package let path: String?
    /// The path in the mount; `nil` if there is none.
    package let mountedPath: String?

    package init(domain: String, result: ProviderSearchResult, path: String?, mountedPath: String?) {
        self.domain = domain
        self.result = result
        self.path = path
        self.mountedPath = mountedPath
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        domain = try decoder.decode(forKey: 0)
        result = try decoder.decode(forKey: 1)
        path = try decoder.decodeIfPresent(forKey: 2)
        mountedPath = try decoder.decodeIfPresent(forKey: 3)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(domain, forKey: 0)
        encoder.encode(result, forKey: 1)
        encoder.encodeIfPresent(path, forKey: 2)
        encoder.encodeIfPresent(mountedPath, forKey: 3)
    }
}

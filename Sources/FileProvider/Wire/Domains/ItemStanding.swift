import Conduit

/// What is known here of what a path names, without anybody having been asked.
package struct ItemStanding: Message, Equatable {
    /// As it was asked for; otherwise where it is in its domain's mount, or would be.
    package let path: String
    /// The name of the domain that it is in; `nil` where it is in none.
    package let domain: String?
    /// `nil` where nothing is known of it: it is not there, or its folder was never listed.
    package let item: ItemDescription?

    package init(path: String, domain: String?, item: ItemDescription?) {
        self.path = path
        self.domain = domain
        self.item = item
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        path = try decoder.decode(forKey: 0)
        domain = try decoder.decodeIfPresent(forKey: 1)
        item = try decoder.decodeIfPresent(forKey: 2)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(path, forKey: 0)
        encoder.encodeIfPresent(domain, forKey: 1)
        encoder.encodeIfPresent(item, forKey: 2)
    }
}

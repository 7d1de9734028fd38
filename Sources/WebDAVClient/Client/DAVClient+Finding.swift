import HTTPTransport
import XMLStream

extension DAVClient {
    /// Sends a request whose reply contains entries of arbitrary directories, such as a search or a report.
    ///
    /// - Parameter limit: the number of entries after which the rest of the reply is not read.
    /// - Returns: the entries in the order of the server. Entries with names that no file on this machine can have are
    ///   left out.
    package func entries(of request: HTTPRequest, limit: Int = 10_000) async throws(DAVError) -> [DAVEntry] {
        let stream: HTTPStream
        let parser: XMLStreamParser
        do {
            stream = try await http.stream(request)
        } catch {
            throw DAVError(error)
        }
        try requireOrigin(of: request, stream.response)
        try await check(stream.response, to: request)
        var builder = DAVTreeBuilder(depth: 1)
        var (entries, beginning): ([DAVEntry], [UInt8]) = ([], [])
        do throws(XMLStreamError) {
            parser = try XMLStreamParser()
        } catch {
            throw .invalidReply(request.address.origin, error.description)
        }
        while entries.count < limit {
            let bytes: [UInt8]?
            do {
                bytes = try await stream.next()
            } catch {
                throw DAVError(error)
            }
            do throws(XMLStreamError) {
                guard let bytes else {
                    try parser.finish()
                    break
                }
                if beginning.count < 4_096 { beginning += bytes.prefix(4_096) }
                for element in try builder.read(try parser.parse(bytes)) where element.name == .dav("response") {
                    if let entry = DAVEntry(element, at: request.address, date: stream.response.date) {
                        entries.append(entry)
                    }
                }
            } catch {
                throw .unreadable(stream.response, beginning: beginning, error.description)
            }
            guard builder.root == .dav("multistatus") || builder.root == nil else {
                throw .unreadable(stream.response, beginning: beginning, "it is not a multistatus")
            }
        }
        return Array(entries.prefix(limit))
    }
}

extension DAVEntry {
    /// Parses the response of an entry at any path. Returns `nil` if the response reports a failure, such as an entry
    /// that no longer exists, or if the entry has a name that no file on this machine can have.
    fileprivate init?(_ element: DAVElement, at address: HTTPAddress, date: HTTPDate?) {
        let response = DAVResponse(element)
        guard response.failure == nil else { return nil }
        guard let path = response.hrefs.first.flatMap({ DAVHref($0) }),
            var found = try? HTTPAddress("\(address.origin)/")
        else { return nil }
        var name = ""
        for component in path.components {
            guard let next = DAVHref.name(component), let deeper = try? found.appending(next) else { return nil }
            (name, found) = (next, deeper)
        }
        self.init(response, name: name, address: found, date: date)
    }
}

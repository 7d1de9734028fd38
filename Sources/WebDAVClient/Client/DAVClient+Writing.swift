import HTTPTransport
import XMLStream

/// The result of writing a file.
public struct DAVUpload: Sendable {
    /// The tag of the new state; `nil` if the reply did not contain it.
    public let tag: DAVEntityTag?
    /// Whether the server reported that it created the file, because nothing existed at the address.
    public let hasCreated: Bool
    /// Whether the server has stored the date that was sent with the file.
    public let hasTakenDate: Bool

    /// Creates the result of an upload, for a service that uploads by a protocol of its own.
    public init(tag: DAVEntityTag?, hasCreated: Bool, hasTakenDate: Bool) {
        self.tag = tag
        self.hasCreated = hasCreated
        self.hasTakenDate = hasTakenDate
    }
}

extension DAVClient {
    /// Writes a whole file. The client never writes parts, because some servers would truncate the file to the part.
    ///
    /// - Parameter modified: the file's date, which some servers store.
    public func put(
        _ body: HTTPBody, to address: HTTPAddress, if requirements: DAVRequirements = DAVRequirements(),
        modified: HTTPDate? = nil
    ) async throws(DAVError) -> DAVUpload {
        var request = request(.put, address)
        request.body = body
        request.headers["Content-Type"] = "application/octet-stream"
        if let modified { request.headers["X-OC-Mtime"] = String(modified.seconds) }
        requirements.apply(to: &request)
        let response = try await send(request, to: .memory(limit: 1 << 20))
        return DAVUpload(
            tag: response.headers["ETag"].flatMap { DAVEntityTag($0) }, hasCreated: response.status == 201,
            hasTakenDate: response.headers["X-OC-MTime"]?.isSame("accepted") ?? false)
    }

    /// Creates a directory.
    ///
    /// - Throws: ``DAVError/exists(_:)`` if the directory exists. Some servers do not report this.
    public func makeDirectory(
        _ address: HTTPAddress, if requirements: DAVRequirements = DAVRequirements()
    ) async throws(DAVError) {
        var request = request(.mkcol, address.asDirectory)
        requirements.apply(to: &request)
        try requireAll(await send(request), .mkcol)
    }

    /// Removes a file, or a directory with everything in it.
    public func delete(
        _ address: HTTPAddress, if requirements: DAVRequirements = DAVRequirements()
    ) async throws(DAVError) {
        var request = request(.delete, address)
        requirements.apply(to: &request)
        try requireAll(await send(request), .delete)
    }

    /// Removes a directory with everything in it, also at a server that only removes empty directories (SeaweedFS).
    /// Such a server receives a request for each entry, so some entries may be left after an error.
    public func deleteTree(_ directory: HTTPAddress) async throws(DAVError) {
        try await deleteTree(directory, depth: 0)
    }

    private func deleteTree(_ directory: HTTPAddress, depth: Int) async throws(DAVError) {
        do {
            return try await delete(directory)
        } catch {
            switch error {
            case .notAllowed where depth < 128, .parentMissing where depth < 128, .partial where depth < 128: break
            default: throw error
            }
        }
        for entry in try await list(directory).all() {
            do {
                if entry.isDirectory {
                    try await deleteTree(entry.address, depth: depth + 1)
                } else {
                    try await delete(entry.address)
                }
            } catch {
                // Another client may remove entries at the same time.
                guard case .notFound = error else { throw error }
            }
        }
        try await delete(directory)
    }

    /// Moves a file or directory.
    ///
    /// - Parameter requirements: the required states of the source and the destination. Without a requirement for the
    ///   destination, an item there is overwritten.
    /// - Returns: whether the server reported that nothing existed at the destination before.
    @discardableResult
    public func move(
        _ source: HTTPAddress, to destination: HTTPAddress, if requirements: DAVRequirements
    ) async throws(DAVError) -> Bool {
        try await transfer(.move, source, destination, requirements)
    }

    /// Copies a file, or a directory with everything in it, at the server.
    ///
    /// - Parameter requirements: the required states of the source and the destination. Without a requirement for the
    ///   destination, an item there is overwritten.
    /// - Returns: whether the server reported that nothing existed at the destination before.
    @discardableResult
    public func copy(
        _ source: HTTPAddress, to destination: HTTPAddress, if requirements: DAVRequirements
    ) async throws(DAVError) -> Bool {
        try await transfer(.copy, source, destination, requirements)
    }

    private func transfer(
        _ method: HTTPMethod, _ source: HTTPAddress, _ destination: HTTPAddress, _ requirements: DAVRequirements
    ) async throws(DAVError) -> Bool {
        var request = request(method, source)
        requirements.apply(to: &request, destination: destination)
        let response = try await send(request)
        try requireAll(response, method)
        return response.status == 201
    }

    /// Sets the date of a file by the `lastmodified` property, which Nextcloud and ownCloud support.
    ///
    /// - Returns: whether the server reports that it has set the date.
    public func setModified(
        _ date: HTTPDate, of address: HTTPAddress, if requirements: DAVRequirements = DAVRequirements()
    ) async throws(DAVError) -> Bool {
        let value = "<D:lastmodified>\(date.seconds)</D:lastmodified>"
        return try await change(address, "<D:set><D:prop>\(value)</D:prop></D:set>", requirements)
    }

    /// Changes properties of a file or directory (PROPPATCH).
    ///
    /// - Parameter changes: XML elements `set` and `remove`, with the prefix `D`.
    /// - Returns: whether the server changed the properties. It changes all of them or none.
    public func change(
        _ address: HTTPAddress, _ changes: String, _ requirements: DAVRequirements = DAVRequirements()
    ) async throws(DAVError) -> Bool {
        var request = request(
            .proppatch, address, xml: "<D:propertyupdate xmlns:D=\"DAV:\">\(changes)</D:propertyupdate>")
        requirements.apply(to: &request)
        let response = try await send(request)
        guard response.status == 207 else { return true }
        do {
            let element = try DAVTreeBuilder.document(response.body)
            guard let result = element.child("response").map({ DAVResponse($0) }) else { return false }
            return result.failures.isEmpty && (result.status.map { 200..<300 ~= $0 } ?? !result.properties.isEmpty)
        } catch {
            throw .unreadable(response, beginning: response.body, error.description)
        }
    }
}

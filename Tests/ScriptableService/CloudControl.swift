import LinuxSystem

/// A test's connection to a service that runs in another process. Each function blocks until the service has replied.
package struct CloudControl: Sendable {
    private let path: String

    /// - Parameter folder: The directory that the service uses.
    package init(folder: String) { path = CloudService.controlSocket(in: folder) }

    package struct Refused: Error, CustomStringConvertible {
        package let description: String
    }

    @discardableResult
    private func tell(_ command: CloudCommand, _ body: [UInt8] = []) throws -> (CloudReport, [UInt8]) {
        let socket = try CloudSocket.connect(path: path)
        try socket.send(command, bodySize: body.count)
        try socket.send(body[...])
        let (report, size) = try socket.receive(CloudReport.self)
        if case .failed(let reason) = report { throw Refused(description: reason) }
        return (report, try socket.receive(size))
    }

    package func put(_ path: String, _ contents: String) throws { try put(path, Array(contents.utf8)) }
    package func put(_ path: String, _ contents: [UInt8]) throws { try tell(.put(path: path), contents) }
    /// Creates small files that are named after their numbers.
    package func fill(_ folder: String, count: Int, prefix: String = "file ", suffix: String = "") throws {
        try tell(.fill(path: folder, count: count, prefix: prefix, suffix: suffix))
    }
    package func remove(_ path: String) throws { try tell(.remove(path: path)) }
    package func move(_ path: String, to target: String) throws { try tell(.move(path: path, to: target)) }
    package func set(_ fact: CloudMetadata, of path: String) throws { try tell(.fact(fact, path: path)) }
    package func setThumbnail(_ bytes: [UInt8], of path: String) throws { try tell(.thumbnail(path: path), bytes) }
    package func settings() throws -> CloudSettings {
        guard case .settings(let settings) = try tell(.currentSettings).0 else {
            throw Refused(description: "no settings")
        }
        return settings
    }
    package func change(_ change: (inout CloudSettings) -> Void) throws {
        var settings = try settings()
        change(&settings)
        try tell(.settings(settings))
    }
    package func add(_ rule: CloudRule) throws { try tell(.add(rule)) }
    package func removeRules() throws { try tell(.removeRules) }
    package func endSessions() throws { try tell(.endSessions) }
    package func expireAnchors() throws { try tell(.expireAnchors) }
    package func forgetRequests() throws { try tell(.forgetRequests) }

    /// Returns all items by path; those in the trash are beneath ``CloudItem/trashPath``.
    package func snapshot() throws -> [String: CloudItem] {
        guard case .snapshot(let items) = try tell(.snapshot).0 else { throw Refused(description: "no snapshot") }
        return items
    }

    /// Returns all items and the contents of files, by path.
    package func everything() throws -> [String: (item: CloudItem, contents: ArraySlice<UInt8>)] {
        let (report, contents) = try tell(.everything)
        guard case .snapshot(let items) = report else { throw Refused(description: "no snapshot") }
        var rest = contents[...]
        var everything: [String: (item: CloudItem, contents: ArraySlice<UInt8>)] = [:]
        for (path, item) in items.sorted(by: { $0.key < $1.key }) {
            let count = item.kind == .file ? item.size : 0
            everything[path] = (item, rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return everything
    }

    /// Returns the providers' requests, in order.
    package func requests() throws -> [CloudRequest] {
        guard case .requests(let requests) = try tell(.requests).0 else { throw Refused(description: "no requests") }
        return requests
    }

    /// Returns the number of requests that are held until the rules change.
    package func held() throws -> Int {
        guard case .held(let count) = try tell(.held).0 else { throw Refused(description: "no count") }
        return count
    }

    package func count(_ kind: CloudRule.Request) throws -> Int { try requests().count { $0.kind == kind } }

    package func contents(_ path: String) throws -> [UInt8] { try tell(.contents(path: path)).1 }
    package func text(_ path: String) throws -> String { String(decoding: try contents(path), as: UTF8.self) }

    /// Ends the service's process.
    package func stop() throws { try tell(.stop) }
}

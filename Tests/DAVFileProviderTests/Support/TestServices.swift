import CloudTesting
import DAVFileProvider
import Foundation
import HTTPTransport
import LinuxSystem
import WebDAVClient
import XMLStream

/// A service that reports changes as Nextcloud does.
struct DeepService: DAVServiceKind {
    private static let identity = XMLName("http://owncloud.org/ns", "fileid")
    private static let mark = XMLName("http://owncloud.org/ns", "data-fingerprint")
    private static let mount = XMLName("http://nextcloud.org/ns", "mount-type")
    var properties: [XMLName] { [Self.identity, Self.mark, Self.mount] }
    var hasDeepTags: Bool { true }

    func traits(of entry: DAVEntry) -> DAVTraits {
        var traits = DAVTraits()
        traits.identity = entry.property(Self.identity)?.text
        if let kind = entry.property(Self.mount)?.text, !kind.isEmpty { traits.details["mount"] = kind }
        return traits
    }

    func dataMark(of root: DAVEntry) -> String? { root.property(Self.mark)?.text }
}

/// A plain server, and an event immediately before or after contents are sent to it.
final class InterruptedService: DAVServiceKind {
    typealias Event = @Sendable (DAVFileUpload) async throws(DAVError) -> Void

    // Leaf lock.
    private let events = Lock<(before: Event?, after: Event?)>((nil, nil))

    /// Sets a function that is called before the next contents are sent.
    func interrupt(_ body: @escaping Event) { events.withLock { $0.before = body } }

    /// Sets a function that is called after the next contents were sent, before the provider checks them.
    func interruptAfter(_ body: @escaping Event) { events.withLock { $0.after = body } }

    func send(_ upload: DAVFileUpload, with client: DAVClient) async throws(DAVError) -> DAVUpload {
        if let event = events.withLock({ $0.before.take() }) { try await event(upload) }
        let sent = try await client.put(
            .file(upload.file, offset: 0, count: upload.count), to: upload.address, if: upload.requirements,
            modified: upload.modified)
        if let event = events.withLock({ $0.after.take() }) { try await event(upload) }
        return sent
    }
}

extension CloudServer {
    /// Sends an action to the tests' Nextcloud server.
    @discardableResult
    func order(_ action: String, _ fields: [String: Any]) async throws -> [String: Any] {
        var request = HTTPRequest(.post, try root.resolving("/-/" + action))
        request.body = .bytes([UInt8](try JSONSerialization.data(withJSONObject: fields)))
        let response = try await client.http.send(request)
        try response.requireSuccess()
        return try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any] ?? [:]
    }
}

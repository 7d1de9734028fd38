import Foundation
import HTTPTransport
import WebDAVClient

/// A notice of changes at the server.
public enum NextcloudNotice: Sendable, Equatable {
    /// The connection is established. Changes before this notice were not reported.
    case connected
    /// The files or directories with these identifiers changed.
    case files([Int64])
    /// Any file may have changed.
    case anyFile
    /// The connection ended, for the given reason. No notices arrive until the next ``connected``.
    case disconnected(DAVError)
}

/// The subscription to a server's notices of changes (notify_push).
///
/// The server drops some notices, so callers also poll for changes, but less often while connected.
///
///     for try await notice in client.notices(push) { … }
struct NextcloudPush: Sendable {
    let client: NextcloudClient
    let push: NextcloudCapabilities.Push
    let rules: NextcloudClient.PushRules

    /// Subscribes, and subscribes again whenever the connection ends. Ends when the task is cancelled or the server
    /// refuses the credentials.
    func run(_ notify: @Sendable (NextcloudNotice) -> Void) async throws(DAVError) {
        var pause = rules.firstPause
        while true {
            let begin = ContinuousClock.now
            let failure: DAVError
            do {
                let socket = try await open()
                notify(.connected)
                failure = try await listen(socket, notify)
            } catch {
                failure = error
            }
            if Task.isCancelled { throw .transport(.cancelled) }
            // Another attempt is not made: after several attempts with a wrong password, the server delays all requests
            // of the user.
            if case .notSignedIn = failure { throw failure }
            notify(.disconnected(failure))
            if .now - begin > .seconds(60) { pause = rules.firstPause }
            do {
                // The random part of the pause prevents all clients of a restarted server from connecting at once.
                try await client.files.clock.sleep(for: pause * rules.chance())
            } catch {
                throw .transport(.cancelled)
            }
            pause = min(pause * 2, rules.longestPause)
        }
    }

    /// Opens the WebSocket and signs in.
    private func open() async throws(DAVError) -> WebSocket {
        let address: HTTPAddress
        do {
            address = try HTTPAddress(webSocket: push.socket)
        } catch {
            throw DAVError(error)
        }
        let server = client.server.origin
        guard address.origin.isSecure || !server.isSecure else {
            throw .invalidReply(server, "its address for notices is not encrypted")
        }
        let (name, secret) = try await proof(for: address.origin)
        do {
            var request = WebSocketRequest(address)
            request.messageLimit = 4 << 20
            request.silence = rules.silence
            let socket = try await client.files.http.openWebSocket(request)
            try await socket.send(name)
            try await socket.send(secret)
            while let message = try await socket.next() {
                guard case .text(let text) = message else { continue }
                if text == "authenticated" {
                    try await socket.send("listen notify_file_id")
                    return socket
                }
                if text.hasPrefix("err: Invalid credentials") { throw DAVError.notSignedIn(server) }
                if text.hasPrefix("err:") { throw DAVError.invalidReply(server, String(text.prefix(200))) }
            }
            throw DAVError.transport(.connectionLost(address.origin, "the server closed it"))
        } catch let error as HTTPError {
            throw DAVError(error)
        } catch let error as DAVError {
            throw error
        } catch {
            throw .transport(.cancelled)
        }
    }

    /// Returns a token that can be used once instead of the password. If the server has no tokens, returns the user and
    /// password, but only for the server's own origin, which receives the password anyway.
    private func proof(for origin: HTTPOrigin) async throws(DAVError) -> (name: String, secret: String) {
        if let token = push.token.flatMap({ try? HTTPAddress($0) }), token.origin == client.server.origin {
            var request = client.files.request(.post, token)
            request.headers["OCS-APIRequest"] = "true"
            let response = try await client.files.attempt(request, to: .memory(limit: 1 << 16))
            if response.status == 401 { throw .notSignedIn(client.server.origin) }
            let text = String(decoding: response.body, as: UTF8.self).trimmed
            if response.isSuccess, !text.isEmpty, !text.hasPrefix("<") { return ("", String(text)) }
        }
        guard origin == client.server.origin,
            case .basic(let user, let password) = client.files.credentials
        else { throw .invalidReply(client.server.origin, "its notices come from another server, without a token") }
        return (user, password)
    }

    /// Reads notices until the connection ends. Returns the reason why it ended.
    private func listen(
        _ socket: WebSocket, _ notify: @Sendable (NextcloudNotice) -> Void
    ) async throws(DAVError) -> DAVError {
        var expectsNumbers = false
        do {
            while let message = try await socket.next() {
                guard case .text(let text) = message else { continue }
                if let notice = Self.notice(text, &expectsNumbers) { notify(notice) }
            }
        } catch {
            return DAVError(error)
        }
        return .transport(.connectionLost(client.server.origin, "the server closed it"))
    }

    /// Parses a message. Some servers send the identifiers of the files in a separate message, which follows the
    /// notice.
    static func notice(_ text: String, _ expectsNumbers: inout Bool) -> NextcloudNotice? {
        let words = text.split(separator: " ", maxSplits: 1)
        let followsWord = expectsNumbers
        expectsNumbers = false
        switch words.first {
        case "notify_file": return .anyFile
        case "notify_file_id":
            guard words.count == 2 else {
                expectsNumbers = true
                return nil
            }
            return numbers(words[1]).map { .files($0) } ?? .anyFile
        default: return followsWord ? numbers(text[...]).map { .files($0) } ?? .anyFile : nil
        }
    }

    private static func numbers(_ text: Substring) -> [Int64]? {
        try? JSONDecoder().decode([Int64].self, from: Data(text.utf8))
    }
}

extension NextcloudClient {
    /// The timeouts and retry delays of a subscription to notices.
    public struct PushRules: Sendable {
        /// The pause before the first reconnection. It doubles with each further reconnection.
        public var firstPause = Duration.seconds(2)
        /// The longest pause before a reconnection.
        public var longestPause = Duration.seconds(300)
        /// The duration without a byte from the server after which a ping is sent.
        public var silence = Duration.seconds(75)
        /// The function that returns a random factor for a pause, from 0.5 to 1.
        public var chance: @Sendable () -> Double = { .random(in: 0.5...1) }

        /// Creates the default timeouts and delays.
        public init() {}
    }

    /// Subscribes to notices of changes, and reconnects when the connection ends. The stream ends with an error if the
    /// server refuses the credentials. Otherwise the stream ends when it is released or when the task that reads it is
    /// cancelled.
    ///
    /// A slow reader misses no change: while 1,000 notices wait, each further notice drops the oldest one, and is
    /// followed by ``NextcloudNotice/anyFile``.
    public func notices(
        _ push: NextcloudCapabilities.Push, rules: PushRules = PushRules()
    ) -> AsyncThrowingStream<NextcloudNotice, any Error> {
        let subscription = NextcloudPush(client: self, push: push, rules: rules)
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: NextcloudNotice.self, bufferingPolicy: .bufferingNewest(1_000))
        let task = Task {
            do {
                try await subscription.run { notice in
                    guard case .dropped = continuation.yield(notice) else { return }
                    continuation.yield(.anyFile)
                }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}

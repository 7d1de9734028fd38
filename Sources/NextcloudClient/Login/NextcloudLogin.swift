import Foundation
import HTTPTransport
import WebDAVClient

/// The server, user name and password with which a client uses an account.
public struct NextcloudAccount: Hashable, Sendable {
    /// The server's address.
    public let server: HTTPAddress
    /// The user name for the sign-in.
    public let loginName: String
    /// The password that the server generated for this client only.
    public let appPassword: String

    /// Creates an account from stored values.
    public init(server: HTTPAddress, loginName: String, appPassword: String) {
        self.server = server
        self.loginName = loginName
        self.appPassword = appPassword
    }
}

extension NextcloudAccount: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The user and server. The password is never printed.
    public var description: String { "\(loginName) at \(server)" }
    /// The user and server.
    public var debugDescription: String { description }
    /// The user and server.
    public var customMirror: Mirror { Mirror(self, children: ["loginName": loginName, "server": server.description]) }
}

/// A sign-in that the user carries out in a browser (login flow v2).
///
///     let login = try await NextcloudLogin.begin(at: server.address, http)
///     print("Open \(login.link)")
///     let account = try await login.wait()
///
/// The server discards a sign-in that is not finished after 20 minutes.
public struct NextcloudLogin: Sendable {
    /// The reason why the sign-in failed.
    public enum LoginError: Error, Equatable {
        /// The server's reply was an error.
        case server(DAVError)
        /// The server's reply contains the address of another host, which must not receive a password.
        case otherServer(String)
        /// The user did not finish in time.
        case expired
    }

    /// The page that the user must open in a browser.
    public let link: HTTPAddress

    private let server: HTTPAddress
    private let endpoint: HTTPAddress
    private let token: String
    private let http: HTTPClient

    /// The clock that measures the pauses.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// The duration after which the server discards a sign-in that is not finished.
    private static let lifetime = Duration.seconds(20 * 60)

    /// Begins a sign-in.
    ///
    /// - Parameter name: the name of the client that the server shows to the user.
    public static func begin(
        at server: HTTPAddress, _ http: HTTPClient, name: String = "Purvey"
    ) async throws(LoginError) -> NextcloudLogin {
        struct Reply: Decodable {
            struct Poll: Decodable {
                let token: String
                let endpoint: String
            }
            let poll: Poll
            let login: String
        }
        let response: HTTPResponse
        do {
            var request = HTTPRequest(.post, try server.asDirectory.resolving("index.php/login/v2"))
            request.headers["User-Agent"] = name
            response = try await http.send(request, to: .memory(limit: 1 << 20))
        } catch {
            throw .server(DAVError(error))
        }
        guard response.isSuccess else {
            throw .server(DAVError(status: response.status, DAVError.name(of: server), response, .post))
        }
        guard let reply = try? JSONDecoder().decode(Reply.self, from: Data(response.body)) else {
            throw .server(.unreadable(response, beginning: response.body, "it is not a reply to a sign-in"))
        }
        let (link, endpoint) = (try own(reply.login, server), try own(reply.poll.endpoint, server))
        return NextcloudLogin(
            link: link, server: server.asDirectory, endpoint: endpoint, token: reply.poll.token, http: http)
    }

    private init(
        link: HTTPAddress, server: HTTPAddress, endpoint: HTTPAddress, token: String, http: HTTPClient
    ) {
        self.link = link
        self.server = server
        self.endpoint = endpoint
        self.token = token
        self.http = http
    }

    /// Returns an address that the server sent, with its origin replaced by the one at which the client reaches the
    /// server. A server behind a proxy often does not know that the connection is encrypted, and sends `http`.
    ///
    /// - Throws: ``LoginError/otherServer(_:)`` if the address has another host.
    private static func own(_ text: String, _ server: HTTPAddress) throws(LoginError) -> HTTPAddress {
        do {
            let address = try HTTPAddress(text)
            guard address.origin != server.origin else { return address }
            if address.origin.host == server.origin.host {
                return try server.resolving(address.path).with(query: address.query)
            }
            throw HTTPError.redirect(server.origin, address.origin.host)
        } catch let HTTPError.redirect(_, host) {
            throw .otherServer(host)
        } catch {
            throw .server(.invalidReply(server.origin, "an address in it is not valid"))
        }
    }

    /// Waits until the user has finished the sign-in. The pauses between requests grow from 1 to 5 seconds. Cancelling
    /// the task ends the wait at once.
    public func wait() async throws(LoginError) -> NextcloudAccount {
        var (pause, waited) = (Duration.seconds(1), Duration.zero)
        while waited < Self.lifetime {
            if let account = try await poll() { return account }
            do {
                try await clock.sleep(for: pause)
            } catch {
                throw .server(.transport(.cancelled))
            }
            waited += pause
            pause = min(pause * 1.25, .seconds(5))
        }
        throw .expired
    }

    /// Sends one request for the result of the sign-in. Returns `nil` if the user has not finished the sign-in, or if
    /// the request failed but may be repeated.
    ///
    /// The server sends the password only once. If the reply with the password is lost, the sign-in ends with
    /// ``LoginError/expired``.
    public func poll() async throws(LoginError) -> NextcloudAccount? {
        struct Reply: Decodable {
            let server: String
            let loginName: String
            let appPassword: String
        }
        var request = HTTPRequest(.post, endpoint)
        request.headers["Content-Type"] = "application/x-www-form-urlencoded"
        request.body = .text("token=\(token.percentEncoded)")
        let response: HTTPResponse
        do {
            response = try await http.send(request, to: .memory(limit: 1 << 20))
        } catch {
            // The network may become available while the user signs in.
            guard error.isTransient else { throw .server(DAVError(error)) }
            return nil
        }
        if response.status == 404 { return nil }
        guard response.isSuccess else {
            let error = DAVError(status: response.status, DAVError.name(of: endpoint), response, .post)
            guard error.isTransient else { throw .server(error) }
            return nil
        }
        guard let reply = try? JSONDecoder().decode(Reply.self, from: Data(response.body)) else {
            throw .server(.unreadable(response, beginning: response.body, "it is not a reply to a sign-in"))
        }
        let address = try Self.own(reply.server, server)
        return NextcloudAccount(
            // The address in the reply comes from the server's configuration, which may lack the path.
            server: address.path.utf8.count > server.path.utf8.count ? address.asDirectory : server,
            loginName: reply.loginName, appPassword: reply.appPassword)
    }
}

extension NextcloudLogin.LoginError: CustomStringConvertible {
    /// One sentence, without a capital letter and a period.
    public var description: String {
        switch self {
        case .server(let error): error.description
        case .otherServer(let host):
            "the server sends the sign-in to another server, “\(host)”: use the address of that server"
        case .expired: "the sign-in was not finished within 20 minutes: begin again"
        }
    }
}

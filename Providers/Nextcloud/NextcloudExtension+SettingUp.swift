import DAVFileProvider
import FileProvider
import Foundation
import Glibc
import HTTPTransport
import NextcloudClient
import WebDAVClient

/// Sets up a domain. The user signs in with the browser, and the server generates an app password for this client.
extension NextcloudExtension {
    /// Sets up the domain. Errors of the server and of the sign-in are thrown as one sentence with advice.
    func setUpNextcloud(_ setup: FileProviderSetup) async throws {
        do {
            try await signIn(setup)
        } catch let error as DAVError {
            throw DAVSetUpError(error.advice)
        } catch let error as HTTPError {
            throw DAVSetUpError(DAVError.transport(error).advice)
        } catch let error as NextcloudLogin.LoginError {
            if case .server(let error) = error { throw DAVSetUpError(error.advice) }
            throw DAVSetUpError("\(error)".asSentence)
        }
    }

    private func signIn(_ setup: FileProviderSetup) async throws {
        let given = try DAVSettings(setup.settings)
        let http = try HTTPClient(try await Blocking.run { try given.configuration(for: given.address) })
        defer { http.close() }
        setup.report("Connecting to \(given.address.origin)…")
        let server = try await NextcloudServer.find(given.address.description, http)
        guard !server.isInMaintenance else {
            throw DAVSetUpError("\(server.address.origin) is in maintenance mode: try again later.")
        }
        let isSameServer = given.address.origin == server.address.origin
        guard isSameServer || setup.purpose != .signingIn else {
            throw DAVSetUpError(
                "\(given.address.origin) leads to \(server.address.origin): set url=\(server.address) if that is yours."
            )
        }
        let former = try await formerAccount(given, at: server)
        setup.set(server.address.description, forKey: "url")
        // An unchanged account stays signed in.
        if setup.purpose == .changing, let former, try await Self.isSignedIn(former, given, http) {
            return try await finish(setup, DAVSettings(setup.settings))
        }
        // If the settings contain a user name, the domain is added with an app password, without the browser.
        if setup.purpose == .adding, let user = given.user {
            let answer = try await setup.credentials(for: server.address.origin.description, user: user)
            let account = NextcloudAccount(
                server: server.address, loginName: answer.user, appPassword: answer.password)
            return try await use(account, setup, given, http)
        }
        let login = try await NextcloudLogin.begin(at: server.address, http, name: "Purvey on \(Self.machine)")
        guard let link = URL(string: login.link.description) else {
            throw DAVSetUpError("\(server.address.origin) sent a link that cannot be opened.")
        }
        await setup.open(link, message: "Sign in to \(server.address.origin.host) in the browser")
        let account = try await login.wait()
        do {
            try await use(account, setup, given, http)
        } catch {
            // Otherwise, the unused app password would stay in the user's list of clients at the server.
            await Self.revoke(account, http)
            throw error
        }
        // The former password was replaced by the new one.
        if let former, former.loginName == account.loginName, former.appPassword != account.appPassword {
            await Self.revoke(former, http)
        }
    }

    /// Sets the domain up for an account that the user has signed in to.
    private func use(
        _ account: NextcloudAccount, _ setup: FileProviderSetup, _ given: DAVSettings, _ http: HTTPClient
    ) async throws {
        let client = try await NextcloudClient(http, account)
        if setup.purpose == .signingIn, let owner = given.values[NextcloudService.userKey], owner != client.user {
            throw DAVSetUpError("You signed in as “\(client.user)”, but the domain is that of “\(owner)”.")
        }
        setup.set(account.server.description, forKey: "url")
        setup.set(client.user, forKey: NextcloudService.userKey)
        setup.set(account.loginName, forKey: "user")
        setup.set("basic", forKey: "authentication")
        setup.report("Signed in as \(account.loginName).")
        let password = FileProviderCredentials(user: account.loginName, password: account.appPassword)
        try await finish(setup, DAVSettings(setup.settings), signedIn: password)
    }

    /// Returns the account with which the domain has used the server so far; `nil` if no password is stored for that
    /// account.
    private func formerAccount(_ given: DAVSettings, at server: NextcloudServer) async throws -> NextcloudAccount? {
        guard let user = given.user else { return nil }
        let (origin, store, domain) = (server.address.origin, passwords, domain.identifier.rawValue)
        let password = try await Blocking.run { try store.password(for: user, at: origin, domain: domain) }
        return password.map { NextcloudAccount(server: server.address, loginName: user, appPassword: $0) }
    }

    /// Whether an account's password is valid and belongs to the user in the settings.
    private static func isSignedIn(
        _ account: NextcloudAccount, _ given: DAVSettings, _ http: HTTPClient
    ) async throws -> Bool {
        do {
            return try await NextcloudClient(http, account).user == given.values[NextcloudService.userKey]
        } catch DAVError.notSignedIn {
            return false
        }
    }

    /// Revokes an account's password, even if the current task is cancelled.
    private static func revoke(_ account: NextcloudAccount, _ http: HTTPClient) async {
        let files = DAVClient(http, credentials: .basic(user: account.loginName, password: account.appPassword))
        let client = NextcloudClient(server: account.server, user: account.loginName, files: files)
        await Task { try? await client.revokeAppPassword() }.value
    }

    /// The machine's name, by which the user distinguishes this client from others.
    private static var machine: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "Linux" }
        return name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } ?? "Linux"
    }
}

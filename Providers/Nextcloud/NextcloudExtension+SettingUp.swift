import DAVFileProvider
import FileProvider
import Foundation
import Glibc
import HTTPTransport
import NextcloudClient
import WebDAVClient

/// The set-up of a domain: the user signs in in the browser, and the client gets a password of its own.
extension NextcloudExtension {
    /// Sets up the domain. Each error becomes one sentence.
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
            throw DAVSetUpError("\(server.address.origin) is in maintenance: try again later.")
        }
        setup.set(server.address.description, forKey: "url")
        let isSameServer = given.address.origin == server.address.origin
        // An unchanged account stays signed in.
        if setup.purpose == .changing, isSameServer, given.values[NextcloudService.userKey] != nil, given.user != nil {
            return try await finish(setup, DAVSettings(setup.settings))
        }
        let login = try await NextcloudLogin.begin(at: server.address, http, name: "Purvey on \(Self.machine)")
        guard let link = URL(string: login.link.description) else {
            throw DAVSetUpError("\(server.address.origin) sent a link that cannot be opened.")
        }
        await setup.open(link, message: "Sign in to \(server.address.origin.host) in the browser")
        let account = try await login.wait()
        let client = try await NextcloudClient(http, account)
        do {
            setup.set(account.server.description, forKey: "url")
            setup.set(client.user, forKey: NextcloudService.userKey)
            setup.set(account.loginName, forKey: "user")
            setup.set("basic", forKey: "authentication")
            setup.report("Signed in as \(account.loginName).")
            let password = FileProviderCredentials(user: account.loginName, password: account.appPassword)
            try await finish(setup, DAVSettings(setup.settings), signedIn: password)
        } catch {
            // The password would stay in the user's list of clients. The task may be cancelled.
            await Task { try? await client.revokeAppPassword() }.value
            throw error
        }
    }

    /// The machine's name, by which the user tells clients apart.
    private static var machine: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "Linux" }
        return name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } ?? "Linux"
    }
}

import FileProvider
import Foundation
import HTTPTransport
import WebDAVClient

/// One check of a domain's settings. The settings are stored only after the server has accepted them.
struct DAVSetUpCheck: Sendable {
    let account: DAVAccount
    let setup: FileProviderSetup
    let passwords: any DAVPasswordStore

    func run(signedIn given: FileProviderCredentials?) async throws {
        let origin = account.root.origin
        if !origin.isSecure, !Self.isLocal(origin.host) {
            setup.report("The connection to \(origin) is not encrypted: others can read the password and the files.")
        }
        setup.report("Connecting to \(origin)…")
        let challenge = try await self.challenge()
        var (credentials, user): (HTTPCredentials?, FileProviderCredentials?) = (nil, given)
        var kind = account.settings.authentication
        if let challenge {
            kind = try kind ?? Self.kind(of: challenge, at: origin)
            if user == nil { user = try await known() }
            if user == nil {
                user = try await setup.credentials(for: origin.host, user: account.settings.user)
            }
            credentials = user.map { Self.credentials($0, kind) }
        }
        let client = account.client(with: credentials)
        let directory = try await client.examine(account.root).directory
        let profile = try await profile(client, in: directory.address)
        if let user {
            let (domain, store) = (account.domain.identifier.rawValue, passwords)
            try await Blocking.run { try store.store(user.password, for: user.user, at: origin, domain: domain) }
            setup.set(user.user, forKey: "user")
        }
        if setup.purpose != .signingIn { try await account.set(profile) }
        if let kind { setup.set(kind.rawValue, forKey: "authentication") }
        // The address after redirects is stored, so that later requests are not redirected.
        if account.root == account.settings.address { setup.set(directory.address.description, forKey: "url") }
    }

    /// Returns the domain's stored credentials if the user changes the domain's settings; `nil` for other purposes,
    /// such as a new sign-in.
    private func known() async throws -> FileProviderCredentials? {
        guard setup.purpose == .changing, let user = account.settings.user else { return nil }
        let (origin, domain, store) = (account.root.origin, account.domain.identifier.rawValue, passwords)
        let password = try await Blocking.run { try store.password(for: user, at: origin, domain: domain) }
        return password.map { FileProviderCredentials(user: user, password: $0) }
    }

    /// Requests the root without credentials.
    ///
    /// - Returns: the authentication methods that the server offers; `nil` if it requires none.
    private func challenge() async throws -> [String]? {
        var request = HTTPRequest(.propfind, account.root)
        request.headers["Depth"] = "0"
        let response = try await account.http.send(request)
        guard response.status == 401 else { return nil }
        return response.headers.values("WWW-Authenticate").map { $0.lowercased() }
    }

    /// Returns the best authentication method that both the client and the server support.
    private static func kind(of challenge: [String], at origin: HTTPOrigin) throws -> DAVSettings.Authentication {
        let schemes = challenge.flatMap { $0.split(separator: ",") }
            .compactMap { $0.split(separator: " ", omittingEmptySubsequences: true).first.map { String($0) } }
        if schemes.contains("digest") { return .digest }
        if schemes.contains("basic") || schemes.isEmpty { return .basic }
        if schemes.contains("bearer") { return .bearer }
        throw DAVSetUpError(
            "\(origin) requires sign-in “\(schemes[0])”, which is not supported: look for an app password.".asSentence
        )
    }

    private static func credentials(
        _ user: FileProviderCredentials, _ kind: DAVSettings.Authentication?
    ) -> HTTPCredentials {
        switch kind {
        case .digest: .digest(user: user.user, password: user.password)
        case .bearer: .bearer(token: user.password)
        case .basic, nil: .basic(user: user.user, password: user.password)
        }
    }

    /// Probes the behaviour of the server in the domain's folder. Returns `nil` if the user has no permission to write
    /// there. The server is then probed in the folder of the first change.
    private func profile(_ client: DAVClient, in folder: HTTPAddress) async throws -> DAVServerProfile? {
        guard setup.purpose != .signingIn else { return nil }
        setup.report("Testing how the server protects changes…")
        do {
            let profile = try await account.probe(client, in: folder)
            setup.report("Writes are protected by \(profile.writing.words).")
            if let remains = profile.remains {
                setup.report("The server did not remove the folder of this check: remove “\(remains)”.")
            }
            return profile
        } catch DAVError.forbidden {
            setup.report("You can only read in this folder. The first change elsewhere finds out how it is protected.")
            return nil
        }
    }

    private static func isLocal(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
}

extension DAVError {
    /// The error as a sentence, with advice to a user who sets up a domain.
    package var advice: String {
        switch self {
        case .untrustedCertificate(let origin, let certificate):
            let sentence = "\(HTTPError.untrustedCertificate(origin, certificate))"
            guard let fingerprint = certificate.fingerprint else { return sentence.asSentence }
            return "\(sentence); if it is your server's own, add certificate=SHA256:\(fingerprint)".asSentence
        case .transport(let error) where error.isTransient:
            return "\(error); check the address and the connection to the network".asSentence
        default: return description.asSentence
        }
    }
}

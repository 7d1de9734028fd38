import FileProvider
import Foundation
import HTTPTransport
import WebDAVClient

/// Sets up a domain, and reports the findings about its server.
extension DAVExtension: FileProviderDescribing {
    /// The server's behaviour as the probe found it, one sentence for each finding.
    public final var domainFindings: [String] {
        do {
            let account = try account
            return ["Address: \(account.root)"] + (account.knownFindings ?? ["The server was not probed yet"])
                + account.service.findings
        } catch {
            return [SystemErrors.error(error).localizedDescription]
        }
    }

    /// Signs in at the address in the settings, and probes the server. Stores the credentials and the server's
    /// behaviour.
    ///
    /// - Parameters:
    ///   - settings: the settings to check. The settings of this object's domain may be older.
    ///   - credentials: the credentials that a service obtained by a sign-in of its own; `nil` to ask the user if the
    ///     server requires authentication.
    public final func finish(
        _ setup: FileProviderSetup, _ settings: DAVSettings, signedIn credentials: FileProviderCredentials? = nil
    ) async throws {
        let account = try await account(for: settings)
        defer { account.http.close() }
        do {
            let check = DAVSetUpCheck(account: account, setup: setup, passwords: passwords)
            try await check.run(signedIn: credentials)
        } catch let error as DAVError {
            throw DAVSetUpError(error.advice)
        } catch let error as HTTPError {
            guard case .untrustedCertificate(let origin, let certificate) = error else {
                throw DAVSetUpError(DAVError.transport(error).advice)
            }
            throw DAVSetUpError(DAVError.untrustedCertificate(origin, certificate).advice)
        }
    }

    /// Returns the account of the domain with other settings.
    private func account(for settings: DAVSettings) async throws -> DAVAccount {
        guard let folder = stateFolder else { throw NSFileProviderError(.providerDomainNotFound) }
        let (service, domain, passwords) = (Self.service, domain, passwords)
        return try await Blocking.run {
            try DAVAccount(settings, service, domain: domain, folder: folder, passwords: passwords)
        }
    }
}

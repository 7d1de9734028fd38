import Foundation
import LinuxSystem

/// The set-up of a domain: its settings, and the means to ask the user on the terminal.
///
/// Source: an addition, see ``FileProviderSettingUp``.
public final class FileProviderSetup: Sendable {
    /// The purpose of a set-up.
    public enum Purpose: Int, Sendable {
        /// The domain is being added.
        case adding = 0
        /// The user changes settings of the domain.
        case changing = 1
        /// The user signs in to the domain again.
        case signingIn = 2
    }

    /// The purpose of this set-up.
    public let purpose: Purpose

    /// An object that asks and informs the user during a set-up.
    private let user: any SetupUser
    // Leaf lock.
    private let state: Lock<[String: String]>

    package init(purpose: Purpose, settings: [String: String], user: any SetupUser) {
        self.purpose = purpose
        self.user = user
        state = Lock(settings)
    }

    /// Creates a set-up without a terminal, for a provider's own tests.
    ///
    /// - Parameters:
    ///   - credentials: Returns the user's name and password. Called with the server and with the user's name, if it is
    ///     known already.
    ///   - open: Called with a link to open, and a message for the user.
    ///   - report: Called with a line for the user.
    public convenience init(
        purpose: Purpose, settings: [String: String],
        credentials: @escaping @Sendable (String, String?) async throws -> FileProviderCredentials,
        open: @escaping @Sendable (URL, String) async -> Void = { _, _ in },
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.init(
            purpose: purpose, settings: settings,
            user: ScriptedSetupUser(credentials: credentials, open: open, report: report))
    }

    /// The settings of the domain: those that the user gave, with the changes by ``set(_:forKey:)``. After a successful
    /// set-up, they are stored in the domain's ``NSFileProviderDomain/userInfo``.
    public var settings: [String: String] { state.withLock { $0 } }

    /// Sets a setting, or removes it if `value` is `nil`. Takes effect when the set-up succeeds. Do not store passwords
    /// in settings, which are saved as plain text.
    public func set(_ value: String?, forKey key: String) {
        state.withLock { $0[key] = value }
    }

    /// Asks the user for a name and a password on the terminal. If the user gave `--password-file`, reads the password
    /// from that file instead.
    ///
    /// - Parameters:
    ///   - server: The server's name, which the user sees.
    ///   - user: The user's name, if it is known. In this case, the user is asked only for the password.
    /// - Throws: An error if there is neither a terminal nor a password file, or if the user interrupted the command.
    public func credentials(for server: String, user: String?) async throws -> FileProviderCredentials {
        try await self.user.credentials(for: server, user: user)
    }

    /// Prints a link with a message, and opens the link in the browser if there is a display.
    public func open(_ url: URL, message: String) async {
        await user.open(url, message: message)
    }

    /// Shows the user a line of text, such as progress or a finding.
    public func report(_ line: String) {
        user.report(line)
    }
}

/// A user's name and password.
///
/// Source: an addition, see ``FileProviderSetup``.
public struct FileProviderCredentials: Sendable {
    /// The user's name.
    public let user: String
    /// The password.
    public let password: String

    /// Creates credentials.
    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}

/// An object that asks and informs the user during a set-up.
package protocol SetupUser: Sendable {
    func credentials(for server: String, user: String?) async throws -> FileProviderCredentials
    func open(_ url: URL, message: String) async
    func report(_ line: String)
}

/// A substitute for the user in a provider's tests. Its closures return the user's replies.
private struct ScriptedSetupUser: SetupUser {
    let credentials: @Sendable (String, String?) async throws -> FileProviderCredentials
    let open: @Sendable (URL, String) async -> Void
    let report: @Sendable (String) -> Void

    func credentials(for server: String, user: String?) async throws -> FileProviderCredentials {
        try await credentials(server, user)
    }

    func open(_ url: URL, message: String) async { await open(url, message) }

    func report(_ line: String) { report(line) }
}

/// A provider that checks a domain's settings, and signs the user in, before the domain is added.
///
/// The principal class conforms to this protocol, in both extension models. `purvey domains add`, `purvey domains set`
/// and `purvey sign-in` create an object of the class for the domain with its new settings, and call
/// ``setUpDomain(_:)`` before they store anything. If the function throws, nothing changes: a domain that was being
/// added is removed, with its directories and secrets.
///
/// Source: an addition. Apple's providers set up their domains in windows of their apps.
public protocol FileProviderSettingUp: NSObjectProtocol {
    /// Checks the settings of this object's domain: connects to the server, signs in, and stores credentials with
    /// `SecItemAdd`.
    ///
    /// The time limit is suspended while the user is being asked, and for half an hour after a link was opened. The
    /// task is cancelled if the user interrupts the command.
    ///
    /// - Throws: An error whose `localizedDescription` is one sentence with advice to the user.
    func setUpDomain(_ setup: FileProviderSetup) async throws
}

/// A provider that reports findings about the service of its domain, such as the service's protection against
/// conflicting uploads.
///
/// Source: an addition.
public protocol FileProviderDescribing: NSObjectProtocol {
    /// The findings, one line each, which `purvey status NAME` prints. Called on any thread; must not block for long.
    var domainFindings: [String] { get }
}

/// A provider that signs in with the user's password. `purvey sign-in` uses such a provider.
///
/// A subclass of ``NSFileProviderExtension`` conforms to this protocol. If a request needs a sign-in, the provider
/// replies with the error ``NSFileProviderError/notAuthenticated``. The system then asks the user once. After a
/// successful sign-in, the system retries these requests.
///
/// Source: an addition. Apple's providers show windows of their own.
public protocol FileProviderSigningIn: NSObjectProtocol {
    /// Signs in. The provider stores the credentials in its own directory, so that the sign-in lasts across restarts.
    ///
    /// Called on any thread.
    ///
    /// - Parameter completionHandler: called once, with ``NSFileProviderError/notAuthenticated`` if the password is
    ///   wrong.
    func signIn(withPassword password: String, completionHandler: @escaping @Sendable ((any Error)?) -> Void)
}

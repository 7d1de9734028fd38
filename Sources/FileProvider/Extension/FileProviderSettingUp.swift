import Foundation

/// A provider that checks a domain's settings, and signs the user in, before the domain is added.
///
/// The principal class conforms to it, in both extension models. `purvey domains add`, `purvey domains set` and
/// `purvey sign-in` create an object of the class for the domain with its new settings, and call it before they store
/// anything. If it throws, nothing changes: a domain that was being added, its directories and its secrets are removed.
///
/// Source: an addition. Apple's providers set up their domains in windows of their apps.
public protocol FileProviderSettingUp: NSObjectProtocol {
    /// Checks the settings of this object's domain: reaches the server, signs in, and stores credentials with
    /// `SecItemAdd`.
    ///
    /// There is no time limit while the user is asked for something, and for half an hour after a link was opened.
    /// Cancelled if the user interrupts the command.
    ///
    /// - Throws: An error whose `localizedDescription` is one sentence with advice to the user.
    func setUpDomain(_ setup: FileProviderSetup) async throws
}

/// A provider that describes what it found out about the service of its domain, such as how it protects uploads.
///
/// Source: an addition.
public protocol FileProviderDescribing: NSObjectProtocol {
    /// The findings, one line each, which `purvey status NAME` prints. Called on any thread; must not block for long.
    var domainFindings: [String] { get }
}

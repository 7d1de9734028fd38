import Foundation

/// A provider that users sign in to with a password. `purvey sign-in` uses it.
///
/// A subclass of ``NSFileProviderExtension`` conforms to it. Requests that need a sign-in fail with
/// ``NSFileProviderError/notAuthenticated``. The system then asks the user once. After a successful sign-in, it
/// continues the waiting requests.
///
/// Source: an addition. Apple's providers show windows of their own.
public protocol FileProviderSigningIn: NSObjectProtocol {
    /// Signs in. Stores the credentials in the provider's own directory, so that the sign-in lasts across restarts.
    ///
    /// Called on any thread.
    ///
    /// - Parameter completionHandler: called once, with ``NSFileProviderError/notAuthenticated`` if the password is
    ///   wrong.
    func signIn(withPassword password: String, completionHandler: @escaping @Sendable ((any Error)?) -> Void)
}

import Foundation

/// A provider that people sign in to with a password: what `purvey sign-in` asks for.
///
/// A subclass of ``NSFileProviderExtension`` conforms to it. It fails with ``NSFileProviderError/notAuthenticated`` whatever needs
/// somebody to be signed in; the system then asks the person once, and goes on with what waits when this has succeeded.
///
/// Source: an addition; with Apple, providers show windows of their own.
public protocol FileProviderSigningIn: NSObjectProtocol {
    /// Signs in, and keeps in the provider's own folder what makes that last.
    ///
    /// Called on any thread.
    ///
    /// - Parameter completionHandler: called once, with ``NSFileProviderError/notAuthenticated`` if the password is not right.
    func signIn(withPassword password: String, completionHandler: @escaping @Sendable ((any Error)?) -> Void)
}

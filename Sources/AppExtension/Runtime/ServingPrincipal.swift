import LinuxSystem

/// A principal class that is asked in a way of its own, and not with requests of extension items: a file provider's.
///
/// `NSExtensionMain()` finds the class by its name and knows nothing of the module that it comes from.
package protocol ServingPrincipal: AnyObject {
    /// Serves the host's questions with an object of this class until the host closes the socket. Returns at once.
    ///
    /// - Parameters:
    ///   - bundle: the extension as its property list describes it.
    ///   - ended: called when the host has closed the socket.
    static func serve(
        _ socket: FileDescriptor, for bundle: ExtensionBundle, ended: @escaping @Sendable () -> Void
    ) throws
}

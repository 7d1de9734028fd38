import Foundation
import LinuxSystem

/// A principal class with its own message protocol instead of requests with extension items, such as a file provider's
/// class.
///
/// `NSExtensionMain()` finds the class by its name, without knowing its module.
package protocol ServingPrincipal: AnyObject {
    /// Serves the host's requests with an object of this class until the host closes the socket. Returns at once.
    ///
    /// - Parameters:
    ///   - bundle: The extension as its property list describes it.
    ///   - ended: Called when the host has closed the socket.
    static func serve(
        _ socket: FileDescriptor, for bundle: ExtensionBundle, ended: @escaping @Sendable () -> Void
    ) throws
}

/// A server for the principal classes that conform to a certain protocol. The protocol and the server are declared in a
/// module that depends on this one. Therefore `NSExtensionMain()` finds the server by its name, as it finds a principal
/// class.
package protocol PrincipalServer: AnyObject {
    /// Serves requests like ``ServingPrincipal/serve(_:for:ended:)``.
    ///
    /// - Parameter principal: A class that this server serves.
    static func serve(
        _ principal: AnyClass, _ socket: FileDescriptor, for bundle: ExtensionBundle,
        ended: @escaping @Sendable () -> Void
    ) throws

    /// Whether this server serves the class.
    static func serves(_ principal: AnyClass) -> Bool
}

/// The servers that the executable may contain.
enum PrincipalServers {
    private static let names = ["FileProvider.ReplicaServer"]

    /// Returns the server for a class; `nil` if no server serves the class.
    static func server(of principal: AnyClass) -> (any PrincipalServer.Type)? {
        names.lazy.compactMap { NSClassFromString($0) as? any PrincipalServer.Type }.first { $0.serves(principal) }
    }
}

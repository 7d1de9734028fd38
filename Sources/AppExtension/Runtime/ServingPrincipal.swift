import Foundation
import LinuxSystem

/// A principal class that does not serve requests with extension items, but has its own protocol, such as a file
/// provider's class.
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

/// A server for principal classes that conform to a protocol of a module that depends on this one. It is a class of
/// that module, and is found by its name like a principal class.
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

/// The known servers.
enum PrincipalServers {
    private static let names = ["FileProvider.ReplicaServer"]

    /// Returns the server for a class; `nil` if the program has none.
    static func server(of principal: AnyClass) -> (any PrincipalServer.Type)? {
        names.lazy.compactMap { NSClassFromString($0) as? any PrincipalServer.Type }.first { $0.serves(principal) }
    }
}

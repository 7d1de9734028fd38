import Foundation
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

/// What serves principal classes that are programs' own altogether, and only conform to a protocol of a module above this one: a class
/// of that module, which is found by its name like a principal class.
package protocol PrincipalServer: AnyObject {
    /// As ``ServingPrincipal/serve(_:for:ended:)``.
    ///
    /// - Parameter principal: a class that it serves.
    static func serve(
        _ principal: AnyClass, _ socket: FileDescriptor, for bundle: ExtensionBundle,
        ended: @escaping @Sendable () -> Void
    ) throws

    /// Whether it serves the class.
    static func serves(_ principal: AnyClass) -> Bool
}

/// The servers that there may be.
enum PrincipalServers {
    private static let names = ["FileProvider.ReplicaServer"]

    /// Who serves a class; `nil` where the program has nobody who does.
    static func server(of principal: AnyClass) -> (any PrincipalServer.Type)? {
        names.lazy.compactMap { NSClassFromString($0) as? any PrincipalServer.Type }.first { $0.serves(principal) }
    }
}

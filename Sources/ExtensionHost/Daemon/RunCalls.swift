import Conduit
import LinuxSystem

/// A call that makes the daemon start an extension for one request. The daemon replies when the extension's process has
/// ended. If the call is cancelled, or the caller disconnects, the daemon ends the process.
package struct RunExtensionCall: Call, SchemaMessage {
    package typealias Reply = ExtensionEnding
    /// The number of the call. It is greater than the numbers of the exchange's calls, which use the same socket.
    package static var method: UInt64 { 64 }
    /// The extension's identifier.
    package let identifier: String
    /// The extension's end of a socket pair that the caller has created. The caller and the extension exchange messages
    /// over the socket pair, and not through the daemon.
    package let socket: FileDescriptor

    package init(identifier: String, socket: FileDescriptor) {
        self.identifier = identifier
        self.socket = socket
    }

    package static let schema = Schema(Self.init, Field(0, \.identifier), Field(1, \.socket))
}

/// A call that makes the daemon start the user interface of a domain's provider. The daemon replies when the process of
/// the user interface has ended. If the call is cancelled, or the caller disconnects, the daemon ends the process.
package struct RunInterfaceCall: Call, SchemaMessage {
    package typealias Reply = ExtensionEnding
    package static var method: UInt64 { 65 }
    /// The domain's name.
    package let domain: String
    /// The extension's identifier.
    package let identifier: String
    /// The extension's end of a socket pair that the caller has created. The caller and the extension exchange messages
    /// over the socket pair, and not through the daemon.
    package let socket: FileDescriptor
    /// The connection to the display for the extension's windows; `nil` if the caller has no display.
    package let display: DisplayConnection?

    package init(domain: String, identifier: String, socket: FileDescriptor, display: DisplayConnection?) {
        self.domain = domain
        self.identifier = identifier
        self.socket = socket
        self.display = display
    }

    package static let schema = Schema(
        Self.init, Field(0, \.domain), Field(1, \.identifier), Field(2, \.socket), Field(3, \.display))
}

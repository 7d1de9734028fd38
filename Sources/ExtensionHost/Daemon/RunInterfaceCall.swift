import Conduit
import LinuxSystem

/// Asks the daemon to start the user interface of a domain's provider. The reply follows when the process has ended.
/// If the call is cancelled, or the caller disconnects, the daemon ends the process.
package struct RunInterfaceCall: Call {
    package typealias Reply = ExtensionEnding
    package static var method: UInt64 { 65 }
    /// The domain's name.
    package let domain: String
    /// The extension's identifier.
    package let identifier: String
    /// The extension's end of a socket pair made by the caller: messages do not pass through the daemon.
    package let socket: FileDescriptor
    /// The connection to the display for the extension's windows; `nil` if the caller has no display.
    package let display: DisplayConnection?

    package init(domain: String, identifier: String, socket: FileDescriptor, display: DisplayConnection?) {
        self.domain = domain
        self.identifier = identifier
        self.socket = socket
        self.display = display
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        domain = try decoder.decode(forKey: 0)
        identifier = try decoder.decode(forKey: 1)
        socket = try decoder.decode(forKey: 2)
        display = try decoder.decodeIfPresent(forKey: 3)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(domain, forKey: 0)
        encoder.encode(identifier, forKey: 1)
        encoder.encode(socket, forKey: 2)
        encoder.encodeIfPresent(display, forKey: 3)
    }
}

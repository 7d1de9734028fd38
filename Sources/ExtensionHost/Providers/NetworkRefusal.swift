import AppExtension
import FileProvider
import FileProviderWire
import Foundation

/// Detects errors of an extension that may come from an attempt to use the network without permission. The errors
/// themselves do not state this reason.
package enum NetworkRefusal {
    /// Returns the given error message, followed by a sentence with the key that the extension's property list must set
    /// to get network access.
    package static func explained(_ message: String) -> String {
        let end = message.hasSuffix(".") ? "" : "."
        return
            "\(message)\(end) The extension is refused the network: \(ExtensionBundle.networkKey) is not set in its NSExtension."
    }

    /// Whether an error may have been caused by a network connection that was refused.
    package static func mayBe(_ error: any Error) -> Bool {
        let error = error as NSError
        return mayBe(domain: error.domain, code: error.code, message: error.localizedDescription, isLocal: false)
    }

    /// Whether a provider's error may have been caused by a network connection that was refused.
    ///
    /// - Parameter isLocal: Whether the provider serves a local directory that the user chose for the domain. An
    ///   unreachable directory can cause the same error.
    static func mayBe(_ failure: ProviderError, isLocal: Bool) -> Bool {
        failure.kind == .serverUnreachable && !isLocal
            || mayBe(domain: failure.domain, code: failure.code, message: failure.message, isLocal: isLocal)
    }

    private static func mayBe(domain: String, code: Int, message: String, isLocal: Bool) -> Bool {
        switch domain {
        case NSURLErrorDomain where urlCodes.contains(code): return true
        case NSPOSIXErrorDomain where codes.contains(code): return true
        // `socket` fails with this error if it is refused. An operation on a local directory can fail with it, too.
        case NSPOSIXErrorDomain where code == EPERM && !isLocal: return true
        default: break
        }
        // Socket libraries name the call that failed. In a process without network access, this is the call of
        // `socket`.
        return message.contains("socket(") || message.lowercased().contains("network is unreachable")
    }

    /// The codes of failed connections. If `socket` fails, `URLSession` reports the code for unknown errors.
    private static let urlCodes = [
        NSURLErrorUnknown, NSURLErrorTimedOut, NSURLErrorCannotFindHost, NSURLErrorCannotConnectToHost,
        NSURLErrorNetworkConnectionLost, NSURLErrorDNSLookupFailed, NSURLErrorNotConnectedToInternet,
        NSURLErrorSecureConnectionFailed, NSURLErrorCannotLoadFromNetwork,
    ]

    private static let codes = [ENETDOWN, ENETUNREACH, EHOSTUNREACH, EAFNOSUPPORT, ENOTCONN].map(Int.init)
}

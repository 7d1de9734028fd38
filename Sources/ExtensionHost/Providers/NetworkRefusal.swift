import AppExtension
import FileProvider
import Foundation

/// The errors of an extension that makes a connection without having asked for the network. They do not name the reason.
package enum NetworkRefusal {
    /// Says which key is missing.
    package static func explained(_ message: String) -> String {
        let end = message.hasSuffix(".") ? "" : "."
        return
            "\(message)\(end) The extension is refused the network: \(ExtensionBundle.networkKey) is not set in its NSExtension."
    }

    /// Whether an error may be that of a refused connection.
    package static func mayBe(_ error: any Error) -> Bool {
        let error = error as NSError
        return mayBe(domain: error.domain, code: error.code, message: error.localizedDescription)
    }

    /// Whether a provider's failure may be that of one.
    ///
    /// - Parameter isLocal: whether it serves a folder that it was handed, which can be unreachable as well.
    static func mayBe(_ failure: ProviderFailure, isLocal: Bool) -> Bool {
        failure.kind == .serverUnreachable && !isLocal
            || mayBe(domain: failure.domain, code: failure.code, message: failure.message)
    }

    private static func mayBe(domain: String, code: Int, message: String) -> Bool {
        switch domain {
        case NSURLErrorDomain: return true
        case NSPOSIXErrorDomain where codes.contains(code): return true
        default: break
        }
        // Libraries for sockets name the call that failed, and what is refused is the first of them.
        return message.contains("socket(") || message.lowercased().contains("network is unreachable")
    }

    private static let codes = [ENETDOWN, ENETUNREACH, EHOSTUNREACH, EAFNOSUPPORT, ENOTCONN].map(Int.init)
}

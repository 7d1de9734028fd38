import Conduit
import FileProvider
import LinuxSystem

extension ProviderError {
    /// Creates the failure of a request from the error of its connection.
    init(_ error: ConduitError) {
        let kind: Kind =
            switch error {
            case .cancelled: .cancelled
            case .system(.noSpace), .system(.quotaExceeded): .noSpace
            case .system, .tooManyCalls, .descriptorsLost: .transient
            case .disconnected: .processEnded
            case .remote, .malformed, .oversized, .tooManyDescriptors, .refused: .badAnswer
            }
        self.init(kind, message: "\(error)")
    }
}

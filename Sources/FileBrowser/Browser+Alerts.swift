import DomainMessages
import ItemValues

/// The user's answer to an alert of a provider.
package enum AlertAnswer: Sendable, Equatable {
    case cancelled
    /// - Parameter suppresses: Whether the provider must not show the alert again.
    case continued(suppresses: Bool)
}

/// The alerts that providers require before operations of the user.
extension Browser {
    /// Shows the alerts before an operation.
    ///
    /// - Throws: An error of kind `cancelled` if the user cancels, or if an alert does not permit the operation to
    ///   continue.
    func confirm(_ request: FindAlertsCall) async throws(BrowserError) {
        for description in try await daemon.call(request).alerts {
            let alert = description.alert
            let answer = await whenAlerted(alert)
            guard alert.canContinue, case .continued(let suppresses) = answer else {
                throw BrowserError("It was cancelled", kind: .cancelled)
            }
            guard suppresses, let identifier = alert.suppression else { continue }
            _ = try await daemon.call(
                SuppressAlertCall(domain: description.domain, identifier: identifier, isSuppressed: true))
        }
    }

    /// Shows the alerts before items are moved or copied into a folder.
    func confirm(
        _ operation: FindAlertsCall.Operation, _ items: [BrowserItem], to folder: String, in domain: String
    ) async throws(BrowserError) {
        try await confirm(
            FindAlertsCall(operation, items: items.map(\.place), destination: Self.place(of: folder, in: domain)))
    }

    /// Returns a folder in the form that requests to the daemon require.
    static func place(of folder: String, in domain: String) -> ItemPlace {
        ItemPlace(text: domain + ":" + folder, path: "")
    }
}

/// An alert of a provider that is shown before an operation of the user. All values are already inserted into its
/// texts.
package struct InteractionAlert: Sendable, Equatable {
    package let title: String
    package let subtitle: String
    /// The labels of the buttons for continuing and for cancelling; `nil` for the usual labels.
    package let continueLabel: String?
    package let cancelLabel: String?
    /// Whether the user may continue with the operation. If `false`, the operation is forbidden.
    package let canContinue: Bool
    /// Whether the operation destroys data if the user continues.
    package let isDestructive: Bool
    /// The address of a page that explains the alert; `nil` if there is none.
    package let helpURL: String?
    /// The identifier under which the user can suppress the alert; `nil` for an alert that cannot be suppressed.
    package var suppression: String?

    package init(
        title: String, subtitle: String, continueLabel: String? = nil, cancelLabel: String? = nil,
        canContinue: Bool = true, isDestructive: Bool = false, helpURL: String? = nil, suppression: String? = nil
    ) {
        self.title = title
        self.subtitle = subtitle
        self.continueLabel = continueLabel
        self.cancelLabel = cancelLabel
        self.canContinue = canContinue
        self.isDestructive = isDestructive
        self.helpURL = helpURL
        self.suppression = suppression
    }

    /// The title and the subtitle in one line.
    package var sentence: String { subtitle.isEmpty ? title : "\(title) \(subtitle)" }
}

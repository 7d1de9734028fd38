import DomainMessages
import ItemValues

extension Command {
    static let alerts = Command(
        name: "alerts", summary: "list the alerts of a provider that can be suppressed, or suppress one",
        usage: ["[--json] DOMAIN", "DOMAIN suppress IDENTIFIER", "DOMAIN show IDENTIFIER"],
        options: [.flag("json", "print JSON")],
        discussion: """
            A provider may require that you confirm an operation, such as moving a shared folder to the trash. You can
            suppress such an alert when it is shown, or here. 'show' lets it be shown again. The provider decides
            whether this concerns one domain or all of its domains.
            """
    ) { arguments in
        let operands = arguments.operands
        guard let domain = operands.first else { throw UsageError("the name of a domain is missing") }
        guard operands.count > 1 else {
            let alerts = try await DomainClient.call(ListAlertsCall(domain: domain)).alerts
            if arguments.has("json") { return try JSONOutput.print(alerts.map(ListedAlert.init)) }
            if alerts.isEmpty { StandardError.note("the provider of \(domain) has no alert that can be suppressed") }
            for alert in alerts {
                let state = alert.isSuppressed ? "suppressed" : "shown"
                try StandardOutput.print("\(OneLine.text(alert.identifier))  \(state)\n")
            }
            return
        }
        if arguments.has("json") { throw UsageError("--json goes with the list") }
        let isSuppressed: Bool
        switch operands[1] {
        case "suppress": isSuppressed = true
        case "show": isSuppressed = false
        case let word:
            throw UsageError(
                about: word, "there is no 'alerts DOMAIN \(word)'", known: ["suppress", "show"], listing: true)
        }
        guard operands.count == 3 else {
            throw UsageError(
                operands.count < 3 ? "the identifier of an alert is missing" : "unexpected argument '\(operands[3])'")
        }
        _ = try await DomainClient.call(
            SuppressAlertCall(domain: domain, identifier: operands[2], isSuppressed: isSuppressed))
    }

    /// An alert in the JSON of `purvey alerts`.
    private struct ListedAlert: Encodable {
        let identifier: String
        let isSuppressed: Bool

        init(_ alert: SuppressibleAlert) { (identifier, isSuppressed) = (alert.identifier, alert.isSuppressed) }
    }
}

/// Shows the alerts that providers require before the operation of a command.
enum Alerts {
    /// The option that makes a command continue without asking.
    static let option = Option.flag("yes", "continue without asking where a provider requires confirmation")

    /// Shows the alerts on the terminal.
    ///
    /// - Parameter isConfirmed: Whether the user has confirmed the operation in advance.
    /// - Throws: ``CommandError`` if the user cancels, or if the alert does not permit the operation to continue.
    static func confirm(_ request: FindAlertsCall, isConfirmed: Bool) async throws {
        for description in try await DomainClient.call(request).alerts {
            let alert = description.alert
            let sentence = OneLine.text("\(description.domain): " + alert.title)
            let explanation = OneLine.text(alert.subtitle)
            guard alert.canContinue else {
                throw CommandError(explanation.isEmpty ? sentence : "\(sentence) \(explanation)")
            }
            if isConfirmed { continue }
            guard let terminal = Terminal() else {
                throw CommandError("\(sentence) \(explanation) There is no terminal to ask on; --yes continues")
            }
            for line in [sentence, explanation, alert.helpURL.map(OneLine.text) ?? ""] where !line.isEmpty {
                try terminal.say(line + "\n")
            }
            try await ask(about: alert, of: description.domain, on: terminal)
        }
    }

    private static func ask(about alert: InteractionAlert, of domain: String, on terminal: Terminal) async throws {
        let label = OneLine.text(alert.continueLabel ?? "Continue")
        let choices = alert.suppression == nil ? "y/N" : "y/N/always"
        switch (try terminal.ask("\(label)? [\(choices)] ")?.lowercased(), alert.suppression) {
        case ("y", _), ("yes", _): return
        case ("always", let identifier?):
            _ = try await DomainClient.call(
                SuppressAlertCall(domain: domain, identifier: identifier, isSuppressed: true))
        default: throw CommandError("cancelled; nothing was changed")
        }
    }
}

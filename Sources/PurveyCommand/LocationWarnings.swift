import Exchange

/// Warnings about environment variables that Purvey ignores.
enum LocationWarnings {
    /// Prints a line for each warning. Must be called once per command.
    static func complain() {
        // Without locations, the command fails and prints the reason.
        guard let locations = try? ExchangeClient.shared.locations.get() else { return }
        for warning in locations.warnings { StandardError.complain("warning: \(warning)") }
    }
}

import Exchange

/// Warnings about what of the environment Purvey does not follow.
enum LocationWarnings {
    /// Prints a line for each. Called once in a command.
    static func complain() {
        // Without locations the command fails, and says why.
        guard let locations = try? ExchangeClient.shared.locations.get() else { return }
        for warning in locations.warnings { StandardError.complain("warning: \(warning)") }
    }
}

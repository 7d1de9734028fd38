/// The version of Purvey: of its programs, and of the libraries built with them.
public enum PurveyVersion {
    /// The version number, as printed by every program's `--version`.
    public static let text = "0.1.0"
}

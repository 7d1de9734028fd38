/// The version of Purvey. It is the same for all of its programs and libraries.
public enum PurveyVersion {
    /// The version number, which every program prints with `--version`.
    public static let text = "0.1.0"
}

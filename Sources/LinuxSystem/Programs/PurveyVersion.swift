/// The version of Purvey: of its programs, and of the libraries that are built with them.
public enum PurveyVersion {
    /// The version's number, as `--version` of every program prints it.
    public static let text = "0.1.0"
}

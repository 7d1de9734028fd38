/// The processes that may see and load a representation.
///
/// Inside one process everything is visible. Across processes the daemon decides, by the system's information about
/// the requesting process and never by the process's own statements.
public enum NSItemProviderRepresentationVisibility: Int, Sendable {
    /// Every process of the same user.
    case all = 0
    /// Processes whose registered bundle names the same team.
    case team = 1
    /// Processes of the same group; on Linux the same as ``team``.
    case group = 2
    /// Only the process that registered the representation.
    case ownProcess = 3
}

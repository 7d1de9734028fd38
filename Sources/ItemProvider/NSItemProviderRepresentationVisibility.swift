/// Who may see and load a representation.
///
/// Inside one process everything is visible. Across processes the daemon decides, from what the system says about the
/// asking process and never from what it says about itself.
public enum NSItemProviderRepresentationVisibility: Int, Sendable {
    /// Every process of the same user.
    case all = 0
    /// Processes whose registered bundle names the same team.
    case team = 1
    /// Processes of the same group; here the same as ``team``.
    case group = 2
    /// Only the process that registered the representation.
    case ownProcess = 3
}

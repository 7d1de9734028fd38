import FileProvider

/// What the engine knows of changes that were signalled.
struct ChangeState {
    /// Whether the provider tells of changes in all folders at once.
    enum WorkingSet {
        case unknown
        /// Its first anchor is being asked for.
        case beginning
        case available
        case missing
    }

    var workingSet = WorkingSet.unknown
    /// Whether the provider may say something of the whole domain: it has not said that it does not.
    var mayHaveState = true
    /// Containers whose changes are being asked for, with whether they were signalled again since.
    var running: [String: Bool] = [:]
    /// What asks for them.
    var tasks: [String: Task<Void, Never>] = [:]
    /// Failures in a row, by container.
    var failures: [String: Int] = [:]
    /// Containers that are asked for again after a while, or when a person resolved what was in the way.
    var waiting: [String: Waiting] = [:]
    /// Folders that were asked for again because somebody looked into them, by container.
    var refreshes: [String: ItemNumber] = [:]
    /// Items whose last word came too late to be believed: the provider is asked what they are.
    var doubtful: Set<String> = []
    var doubtTask: Task<Void, Never>?
    /// Asks for them after a failure.
    var waitingDoubts: Waiting?
    /// What a person has to know: why the provider could not be asked last; `nil` once it could.
    var lastFailure: ProviderFailure?
}

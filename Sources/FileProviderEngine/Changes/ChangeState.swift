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
    /// Times that the working set could not be listed, for a reason of the provider's own that may pass.
    var workingSetFailures = 0
    /// Whether it is tried once more: one that fails in its own way each time is left until the next start, as changes come all the
    /// same.
    var mayListWorkingSet: Bool { workingSetFailures < 8 }
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
    var doubts = Doubts()
    var doubtTask: Task<Void, Never>?
    /// Has doubts looked at again.
    var waitingDoubts: Waiting?
    /// Rounds of questions about doubts, in a row, in which nothing could be learnt.
    var badRounds = 0
    /// Folders of which the provider could not say what they are when something in them was told of, with how often.
    var unsaidParents: [String: Int] = [:]
    /// What a person has to know: why the provider could not be asked last; `nil` once it could.
    var lastFailure: ProviderFailure?
}

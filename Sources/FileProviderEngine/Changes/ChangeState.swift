import FileProvider

/// The engine's state of signalled changes.
struct ChangeState {
    /// Whether the provider reports changes of all directories in one feed.
    enum WorkingSet {
        case unknown
        /// The working set's first sync anchor is being requested.
        case beginning
        case available
        case missing
    }

    var workingSet = WorkingSet.unknown
    /// The number of failures to list the working set for a reason of the provider's own that may pass.
    var workingSetFailures = 0
    /// Whether the working set may be listed again. After eight failures the listing is left until the next start,
    /// because changes are reported without it.
    var mayListWorkingSet: Bool { workingSetFailures < 8 }
    /// Whether the provider may support a state of the whole domain: it has not reported that it does not.
    var mayHaveState = true
    /// The containers with a running change request, each with whether it was signalled again since.
    var running: [String: Bool] = [:]
    /// The tasks that run these requests.
    var tasks: [String: Task<Void, Never>] = [:]
    /// The number of consecutive failures, by container.
    var failures: [String: Int] = [:]
    /// The retries of containers that back off.
    var waiting: [String: Waiting] = [:]
    /// The directories whose refresh caused the request, because a client looked into them, by container.
    var refreshes: [String: ItemNumber] = [:]
    /// The directories that wait for a refresh, in order.
    var refreshQueue: [ItemNumber] = []
    /// The same directories as in ``refreshQueue``.
    var queuedForRefresh: Set<ItemNumber> = []
    /// The directories that are being refreshed.
    var refreshing: Set<ItemNumber> = []
    /// The directories that are to be refreshed later because the disk was full.
    var waitingForRoom: Set<ItemNumber> = []
    /// The timer for the next refresh of directories with unknown changes.
    var waitingForOutdated: Waiting?
    /// The number of consecutive failures to list one of these directories.
    var outdatedFailures = 0
}

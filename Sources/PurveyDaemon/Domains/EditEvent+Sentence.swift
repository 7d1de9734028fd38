import FileProvider
import FileProviderEngine

extension EditEvent {
    /// The event in one sentence, for the user who made the edit.
    var sentence: String {
        switch kind {
        case .conflict(let copy): "\(name) was changed by somebody else too: what was written here is in \(copy)"
        case .renamed(let newName): "\(name) is called \(newName), because somebody else has that name"
        case .deletionRefused(let failure?): "\(name) is there again, because its service keeps it: \(failure.message)"
        case .deletionRefused(nil): "\(name) is there again, because somebody else has changed it"
        case .madeAgain: "\(name) was removed by somebody else, and is there again, because it was changed here"
        case .recovered: "\(name) has bytes that were found after a crash"
        }
    }
}

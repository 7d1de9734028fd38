/// The daemon that is restarted when it dies: its command line, and the address of its keeper.
package struct KeptProgram: Sendable, Equatable {
    package let path: String
    package let arguments: [String]
    /// The directory of the daemon's domains. If it does not exist, there is no reason to start the daemon.
    package let folder: String
    /// The path of the socket on which the keeper waits for the next daemon.
    package let socket: String
    /// The number of deaths in a row, each soon after a start.
    package let deaths: Int

    package init(path: String, arguments: [String], folder: String, socket: String, deaths: Int) {
        self.path = path
        self.arguments = arguments
        self.folder = folder
        self.socket = socket
        self.deaths = deaths
    }

    var words: [String] { [folder, "\(deaths)", socket, path] + arguments }

    init?(words: [String]) {
        guard words.count >= 4, let deaths = Int(words[1]), deaths >= 0 else { return nil }
        self.init(path: words[3], arguments: Array(words[4...]), folder: words[0], socket: words[2], deaths: deaths)
    }
}

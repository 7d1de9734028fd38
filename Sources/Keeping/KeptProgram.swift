/// A program that is to run again when it dies: how it is started, and where its keeper is found.
package struct KeptProgram: Sendable, Equatable {
    package let path: String
    package let arguments: [String]
    /// What the program works on: without that folder there is nothing to start it for.
    package let folder: String
    /// Where the keeper listens for the next one of the program.
    package let socket: String
    /// How often it died so far, each time soon after it was started.
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

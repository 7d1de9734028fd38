import Glibc
import LinuxSystem

/// Waits for the end of the program that has started this one, and has it run again where that was none of its own will.
///
/// Files in a mount fail from the moment in which the daemon dies, and nobody but the next daemon can mend that. The keeper does
/// nothing else, so that there is nothing in it to die of.
struct Keeper {
    let line: SequencedPacketSocket

    /// One that has lived for so long does not die of its start.
    private static let longLifeSeconds = 60
    /// After so many deaths, each soon after a start, it is left alone until somebody needs it.
    private static let deathLimit = 12
    private static let firstPause: Duration = .milliseconds(250)
    private static let longestPause: Duration = .seconds(30)

    /// Returns the exit status.
    func run() throws(Errno) -> CInt {
        guard case .introduction(let program) = try KeptProgram.next(from: line) else { return 0 }
        let start = ContinuousClock.now
        if try KeptProgram.next(from: line) == .farewell { return 0 }
        let hasLivedLong = start.duration(to: .now) >= .seconds(Self.longLifeSeconds)
        var deaths = hasLivedLong ? 1 : program.deaths + 1
        while deaths <= Self.deathLimit {
            pause(after: deaths)
            guard (try? FileStatus.of(program.folder))?.kind == .directory else { return 0 }
            complain("the daemon has died: it is started again (\(deaths))")
            // It goes to the background when it listens, with a keeper of its own.
            let arguments = program.arguments + ["--deaths", "\(deaths)"]
            let child = try ChildProgram.start(
                program.path, arguments: arguments, descriptors: [nil, nil, try? .copy(of: STDERR_FILENO)],
                workingFolder: "/")
            let ending = try child.wait()
            // Somebody does not want it, or there is one by now.
            if ending == .exited(0) || ending == .signalled(SIGTERM) { return 0 }
            deaths += 1
        }
        complain("the daemon has died \(deaths) times, each time soon after its start, and is not started again")
        return 1
    }

    /// None after the first death. Then longer and longer, so that one that dies of its start does not take all of a processor.
    private func pause(after deaths: Int) {
        guard deaths > 1 else { return }
        let pause = min(Self.firstPause * (1 << min(deaths - 2, 10)), Self.longestPause)
        usleep(useconds_t(pause / .microseconds(1)))
    }
}

func complain(_ text: String) {
    let line = Array("purvey-keeper: \(text)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
}

import DomainMessages
import FileProvider

extension Command {
    static let pause = Command(
        name: "pause", summary: "let uploads and background downloads of domains wait, as on a metered network",
        usage: ["[NAME…]"], options: [],
        discussion: """
            Without a NAME, all domains. Edits stay on this machine and are sent after 'purvey resume', also if the machine was
            restarted meanwhile; what is kept is not fetched, and nothing is read ahead. A file that is opened is fetched as
            always. What is on its way goes on to its end.
            """
    ) { arguments in
        _ = try await DomainClient.call(PauseDomainsCall(names: arguments.operands, isPaused: true))
    }

    static let resume = Command(
        name: "resume", summary: "let the transfers of paused domains go on",
        usage: ["[NAME…]"], options: [], discussion: "Without a NAME, all domains."
    ) { arguments in
        _ = try await DomainClient.call(PauseDomainsCall(names: arguments.operands, isPaused: false))
    }
}

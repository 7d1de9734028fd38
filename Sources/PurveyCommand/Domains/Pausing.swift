import DomainMessages
import FileProvider

extension Command {
    static let pause = Command(
        name: "pause", summary: "pause uploads and background downloads of domains, as on a metered network",
        usage: ["[DOMAIN…]"], options: [],
        discussion: """
            Without a DOMAIN, all domains. Edits stay on this machine and are sent after 'purvey resume', even if the machine was
            restarted meanwhile. Kept items are not fetched, and nothing is read ahead. A file that is opened is fetched as
            always. Transfers that have begun are completed.
            """
    ) { arguments in
        _ = try await DomainClient.call(PauseDomainsCall(names: arguments.operands, isPaused: true))
    }

    static let resume = Command(
        name: "resume", summary: "continue the transfers of paused domains",
        usage: ["[DOMAIN…]"], options: [], discussion: "Without a DOMAIN, all domains."
    ) { arguments in
        _ = try await DomainClient.call(PauseDomainsCall(names: arguments.operands, isPaused: false))
    }
}

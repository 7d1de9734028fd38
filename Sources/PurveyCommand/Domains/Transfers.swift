import Conduit
import DomainMessages
import FileProvider

/// The help on arguments that are items.
private let placesWords = """
    PATH is a path in a mount, or DOMAIN:PATH, which needs no mount. A folder stands for everything in it.
    """

extension Command {
    static let download = Command(
        name: "download", summary: "download items of a service", usage: ["PATH…"], options: [],
        discussion: placesWords
    ) { arguments in
        try await each("download", arguments.operands) { DownloadItemCall(place: DomainClient.place($0)) }
    }

    static let evict = Command(
        name: "evict", summary: "free up the space of items", usage: ["PATH…"], options: [],
        discussion: placesWords + """


            Files that are open stay, and so do edits that the service does not have. In a folder, kept items stay. An
            item that is itself kept ('purvey keep') is no longer kept. If it is kept with a folder, the command fails
            and names the folder.
            """
    ) { arguments in
        try await each("evict", arguments.operands) { EvictItemCall(place: DomainClient.place($0)) }
    }

    static let keep = Command(
        name: "keep", summary: "download items and keep them on this machine", usage: ["PATH…"], options: [],
        discussion: placesWords + """


            A kept folder keeps everything in it, and everything that is added or moved to it. An item that is moved out
            of it is no longer kept. Kept files are downloaded again when they change at the service, and do not count
            for the domain's cache= (see 'purvey domains --help'). 'purvey evict' of the same item ends it.
            """
    ) { arguments in
        try await each("keep", arguments.operands) { KeepItemCall(place: DomainClient.place($0)) }
    }

    static let signal = Command(
        name: "signal", summary: "report a change at a service", usage: ["DOMAIN [CONTAINER]"], options: [],
        discussion: "CONTAINER is the identifier of the changed folder ('purvey stat' shows it); without it, any item."
    ) { arguments in
        guard let domain = arguments.operands.first else { throw UsageError("a domain is missing") }
        guard arguments.operands.count <= 2 else { throw UsageError("unexpected argument '\(arguments.operands[2])'") }
        let container = arguments.operands.count == 2 ? arguments.operands[1] : nil
        _ = try await DomainClient.call(SignalDomainCall(name: domain, container: container))
    }

    static let retry = Command(
        name: "retry", summary: "retry the failed requests of a domain", usage: ["DOMAIN"], options: []
    ) { arguments in
        guard arguments.operands.count == 1 else { throw UsageError("retry takes one domain") }
        let domain = try await DomainClient.call(RetryDomainCall(name: arguments.operands[0]))
        if let fault = domain.fault { throw CommandError("\(domain.name): \(fault)") }
    }

    /// Makes a call for each argument, one after the other, with a progress bar. After a failure, continues with the
    /// other arguments.
    ///
    /// - Parameter once: as for ``DomainClient/call(_:once:progress:)``.
    static func each<C: Call>(
        _ name: String, _ words: [String], once: Bool = false, _ request: @Sendable (String) throws -> C
    ) async throws {
        guard !words.isEmpty else { throw UsageError("a path is missing") }
        var failures: [CommandError] = []
        for word in words {
            let call = try request(word)
            let bar = ProgressBar()
            bar.show()
            do {
                _ = try await DomainClient.call(call, once: once) { completed, total in
                    if total > 0 { bar.report(Double(completed) / Double(total)) }
                }
                bar.end()
            } catch let error as CommandError {
                bar.end()
                failures.append(error)
            }
        }
        guard let last = failures.popLast() else { return }
        for failure in failures { StandardError.complain("\(name): \(failure.message)") }
        throw last
    }
}

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
        try await setPaused(true, arguments.operands)
    }

    static let resume = Command(
        name: "resume", summary: "continue the transfers of paused domains",
        usage: ["[DOMAIN…]"], options: [], discussion: "Without a DOMAIN, all domains."
    ) { arguments in
        try await setPaused(false, arguments.operands)
    }

    /// Pauses domains, or continues their transfers.
    ///
    /// - Parameter names: The names of the domains; empty for all.
    private static func setPaused(_ isPaused: Bool, _ names: [String]) async throws {
        _ = try await DomainClient.call(PauseDomainsCall(names: names, isPaused: isPaused))
        guard names.isEmpty, try await DomainClient.call(ListDomainsCall()).domains.isEmpty else { return }
        StandardError.noteNoDomain()
    }
}

import Conduit
import DomainMessages

/// The help on arguments that are items.
private let placesWords = """
    PATH is a path in a mount, or DOMAIN:PATH, which needs no mount. A folder stands for everything in it.
    """

extension Command {
    static let download = Command(
        name: "download", summary: "bring the bytes of items of a service here", usage: ["PATH…"], options: [],
        discussion: placesWords
    ) { arguments in
        try await each("download", arguments.operands) { DownloadItemCall(place: DomainClient.place($0)) }
    }

    static let evict = Command(
        name: "evict", summary: "drop the bytes of items here; the service has them", usage: ["PATH…"], options: [],
        discussion: placesWords + """


            What was changed here and is not with the service yet stays, and what is open. Of a folder, what 'purvey keep' keeps
            in it stays too. An item that is kept itself is not any more. One that is kept with a folder stays, which is an error:
            name that folder.
            """
    ) { arguments in
        try await each("evict", arguments.operands) { EvictItemCall(place: DomainClient.place($0)) }
    }

    static let keep = Command(
        name: "keep", summary: "bring the bytes of items here and keep them", usage: ["PATH…"], options: [],
        discussion: placesWords + """


            A kept folder keeps what is in it and what comes into it, also when it is moved there; what is moved out of it is
            not kept any more. What is kept is fetched again when the service has other contents, and does not count for
            the domain's cache= (see 'purvey domains --help'). 'purvey evict' of the same item ends it.
            """
    ) { arguments in
        try await each("keep", arguments.operands) { KeepItemCall(place: DomainClient.place($0)) }
    }

    static let signal = Command(
        name: "signal", summary: "tell a domain that something changed", usage: ["DOMAIN [CONTAINER]"], options: [],
        discussion: "CONTAINER is the identifier of a folder, as 'purvey stat' shows it; without it, anything may have."
    ) { arguments in
        guard let domain = arguments.operands.first else { throw UsageError("a domain is missing") }
        guard arguments.operands.count <= 2 else { throw UsageError("unexpected argument '\(arguments.operands[2])'") }
        let container = arguments.operands.count == 2 ? arguments.operands[1] : nil
        _ = try await DomainClient.call(SignalDomainCall(name: domain, container: container))
    }

    static let retry = Command(
        name: "retry", summary: "try again what a domain could not do", usage: ["DOMAIN"], options: []
    ) { arguments in
        guard arguments.operands.count == 1 else { throw UsageError("retry takes one domain") }
        let domain = try await DomainClient.call(RetryDomainCall(name: arguments.operands[0]))
        if let fault = domain.fault { throw CommandError("\(domain.name): \(fault)") }
    }

    /// Makes a call for each argument, one after the other, with a progress bar. A failure does not stop the others.
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

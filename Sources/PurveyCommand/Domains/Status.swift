import DomainMessages
import Foundation

extension Command {
    static let status = Command(
        name: "status", summary: "show the daemon, the mounts, transfers, and problems that need you",
        usage: ["[--json] [DOMAIN]"], options: [.flag("json", "print JSON")],
        discussion: "With a DOMAIN, one domain, with what its provider found out about the service."
    ) { arguments in
        guard arguments.operands.count <= 1 else { throw UsageError("unexpected argument '\(arguments.operands[1])'") }
        if let name = arguments.operands.first { return try await show(name, asJSON: arguments.has("json")) }
        let status = try await DomainClient.call(DomainsStatusCall())
        if arguments.has("json") { return try JSONOutput.print(ListedStatus(status)) }
        try StandardOutput.print("daemon  process \(status.processID)\n")
        for weakness in status.weaknesses { try StandardOutput.print("   confinement: \(OneLine.text(weakness))\n") }
        if status.domains.isEmpty { StandardError.note("nothing is mounted; 'purvey domains add' adds a service") }
        for activity in status.domains { try show(activity) }
    }

    /// Prints the status of one domain, as text or as JSON.
    private static func show(_ name: String, asJSON: Bool) async throws {
        let reply = try await DomainClient.call(DescribeDomainCall(name: name))
        if asJSON {
            return try JSONOutput.print(ListedStatus.Activity(reply.activity, findings: reply.findings))
        }
        try show(reply.activity)
        for finding in reply.findings { try StandardOutput.print("   \(OneLine.text(finding))\n") }
    }

    private static func show(_ activity: DomainActivity) throws {
        let domain = activity.domain
        let place = [
            domain.name, activity.isPaused ? "paused" : domain.state.word, domain.mount ?? "not mounted",
        ]
        try StandardOutput.print(place.map { OneLine.text($0) }.joined(separator: "  ") + "\n")
        for (word, waiting, inFlight) in [
            ("up", activity.uploadsWaiting, activity.uploadsInFlight),
            ("down", activity.downloadsWaiting, activity.downloadsInFlight),
            ("tags, favorites, dates and attributes", activity.marksWaiting, activity.marksInFlight),
        ] where waiting + inFlight > 0 {
            try StandardOutput.print("   \(word): \(inFlight) running, \(waiting) waiting\n")
        }
        if activity.isPaused {
            try StandardOutput.print("   paused: 'purvey resume' continues the transfers\n")
        }
        if activity.waitsForNetwork {
            try StandardOutput.print(
                "   waits: the network is metered; files that are opened are fetched "
                    + "('purvey domains set \(domain.name.shellWord) metered=use' does not wait)\n")
        }
        if activity.keptMissing > 0 {
            try StandardOutput.print("   kept: \(activity.keptMissing) not fetched yet\n")
        }
        if domain.state == .running {
            let (bytes, limit) = (ByteCount.text(activity.cacheBytes), ByteCount.text(domain.cacheLimit))
            try StandardOutput.print("   cache: \(bytes) of \(limit)\n")
        }
        if let words = activity.quota?.words { try StandardOutput.print("   service: \(words)\n") }
        for transfer in activity.transfers where transfer.state == .running {
            try StandardOutput.print("   \(transfer.line(at: Date().timeIntervalSince1970))\n")
        }
        for transfer in activity.transfers where transfer.state == .cancelled {
            try StandardOutput.print(
                "   up: \(OneLine.text(transfer.name)), cancelled ('purvey retry \(domain.name.shellWord)' sends it)\n")
        }
        for fault in [domain.fault].compactMap({ $0 }) + activity.faults {
            try StandardOutput.print("   error: \(OneLine.text(fault))\n")
        }
        for note in activity.notes + activity.providerNotes {
            try StandardOutput.print("   note: \(OneLine.text(note))\n")
        }
    }
}

extension TransferActivity {
    /// The minimum time in seconds without progress that `purvey status` reports for a transfer.
    private static let pauseWorthSaying = 5.0

    /// Returns a line such as `down: film.mov 40 %, begun 75 s ago, nothing for 60 s`.
    fileprivate func line(at now: Double) -> String {
        var line = (isUpload ? "up: " : "down: ") + OneLine.text(name)
        if total > 0 { line += " \(percent) %" }
        if let begun { line += ", begun \(Self.seconds(now - begun)) s ago" }
        if let moved, now - moved >= Self.pauseWorthSaying { line += ", nothing for \(Self.seconds(now - moved)) s" }
        return line
    }

    /// Returns whole seconds, and 0 for a negative duration, which results if the clock was set back.
    private static func seconds(_ time: Double) -> Int { Int(min(max(time, 0), 1e9)) }
}

/// The JSON of `purvey status`.
private struct ListedStatus: Encodable {
    let daemon: Int32
    /// Sentences about the restrictions of extensions that this system cannot enforce.
    let confinement: [String]
    let domains: [Activity]

    struct Activity: Encodable {
        let domain: ListedDomain
        let uploads: Transfers
        let downloads: Transfers
        /// The transfers of user metadata: tags, favorite ranks and dates of last use.
        let marks: Transfers
        let kept: Kept
        let cache: Cache
        /// The quota at the service; `nil` if the provider reports none.
        let quota: Quota?
        let errors: [String]
        /// Sentences about edits that had a result other than the intended one, such as conflicts, and about
        /// shortcomings of the provider.
        let notes: [String]
        let needsSignIn: Bool
        let isPaused: Bool
        let waitsForNetwork: Bool
        let inFlight: [Transfer]
        /// The names of the files whose upload the user has cancelled.
        let cancelled: [String]
        /// The provider's findings about the service; `nil` in the status of all domains.
        let findings: [String]?

        init(_ activity: DomainActivity, findings: [String]? = nil) {
            domain = ListedDomain(activity.domain)
            uploads = Transfers(waiting: activity.uploadsWaiting, inFlight: activity.uploadsInFlight)
            downloads = Transfers(waiting: activity.downloadsWaiting, inFlight: activity.downloadsInFlight)
            marks = Transfers(waiting: activity.marksWaiting, inFlight: activity.marksInFlight)
            kept = Kept(missing: activity.keptMissing)
            cache = Cache(used: activity.cacheBytes, limit: activity.domain.cacheLimit)
            quota = activity.quota.map { Quota(used: $0.used, available: $0.available) }
            errors = activity.faults
            notes = activity.notes + activity.providerNotes
            needsSignIn = activity.needsSignIn
            isPaused = activity.isPaused
            waitsForNetwork = activity.waitsForNetwork
            inFlight = activity.transfers.filter { $0.state == .running }.map {
                Transfer(
                    name: $0.name, direction: $0.isUpload ? "up" : "down", done: $0.done, total: $0.total,
                    begun: $0.begun.map(ListedItemState.date), moved: $0.moved.map(ListedItemState.date))
            }
            cancelled = activity.transfers.filter { $0.state == .cancelled }.map(\.name)
            self.findings = findings
        }
    }

    struct Transfer: Encodable {
        let name, direction: String
        let done, total: Int64
        /// The dates at which the transfer began and last made progress; `nil` if unknown.
        let begun, moved: String?
    }

    struct Transfers: Encodable {
        let waiting, inFlight: Int
    }

    struct Kept: Encodable {
        let missing: Int
    }

    /// The size and limit of the cache in bytes.
    struct Cache: Encodable {
        let used, limit: Int64
    }

    /// The number of bytes stored at the service, and the number of bytes that can still be written; `nil` if unknown.
    struct Quota: Encodable {
        let used, available: Int64?
    }

    init(_ status: DomainsStatusCall.Reply) {
        daemon = status.processID
        confinement = status.weaknesses
        domains = status.domains.map { Activity($0) }
    }
}

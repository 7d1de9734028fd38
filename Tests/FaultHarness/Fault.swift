import FileProvider
import FileProviderEngine
import LinuxSystem
import ScriptableService

/// A fault that occurs once during a scenario.
package struct Fault: Sendable, Hashable, CustomStringConvertible {
    package enum Kind: String, CaseIterable, Sendable {
        /// A process is killed with SIGKILL: the daemon if the place is one of its steps, otherwise the provider.
        case kill
        /// A process is stopped, chosen as for ``kill``: the daemon for a while, the provider until its host ends it.
        case stop
        /// The service drops the connection.
        case disconnect
        /// The disk becomes full, for a while: the disk of the domain's data, or at the provider's steps the disk of
        /// all data.
        case fill
        /// The service replies slowly, and sends contents in small pieces.
        case slow
        /// The connection ends in the middle of a file's contents.
        case truncate
        /// Half of a file's contents arrives as if it were complete.
        case halve
        /// The service reports a wrong size of an item.
        case lie
        /// The service has no space left, until the user gets more.
        case quota
        /// The service rejects every request, until the user signs in.
        case signOut = "sign-out"

        // Replies of servers.
        /// The server is busy: status 503 with Retry-After, twice.
        case busy
        /// The server received too many requests: status 429 with Retry-After.
        case throttled
        /// Another client has locked the file: status 423.
        case locked
        /// An HTML page is sent instead of the reply, as by a proxy.
        case page
        /// The reply is announced to be longer than it is.
        case longer

        /// Whether the fault can only occur at servers, not at scripted services.
        var isOfServers: Bool {
            switch self {
            case .busy, .throttled, .locked, .page, .longer: true
            default: false
            }
        }
    }

    /// A place at which a fault can occur. Each place is reached several times.
    package enum Place: Sendable, Hashable {
        case engine(EngineStep)
        case provider(ProviderStep)
        /// The service has received a request, and has not performed it yet.
        case request
        /// The service has performed a request, and has not replied yet.
        case answer
        /// The service has received a request of this kind. The requests of each kind are counted separately.
        case asked(CloudRule.Request)

        package var name: String {
            switch self {
            case .engine(let step): step.rawValue
            case .provider(let step): step.rawValue
            case .request: "service.request"
            case .answer: "service.answer"
            case .asked(let request): "service." + request.rawValue
            }
        }

        init?(name: some StringProtocol) {
            let name = String(name)
            if let step = EngineStep(rawValue: name) {
                self = .engine(step)
            } else if let step = ProviderStep(rawValue: name) {
                self = .provider(step)
            } else if let place = Self.ofService.first(where: { $0.name == name }) {
                self = place
            } else {
                return nil
            }
        }

        /// Returns the kinds of faults that can occur at the place.
        package func kinds(_ model: TrialModel) -> [Kind] {
            // The reply to an upload to a server has no size.
            kinds.filter { model.isServer ? !isOfScripts && ($0 != .lie || self == .asked(.page)) : !$0.isOfServers }
        }

        /// Whether only scripted services support the request.
        private var isOfScripts: Bool {
            switch self {
            case .asked(.contents), .asked(.page), .asked(.create), .asked(.move), .asked(.delete): false
            case .asked: true
            default: false
            }
        }

        /// All kinds of faults that can occur at the place with any service.
        var kinds: [Kind] {
            switch self {
            case .engine: [.kill, .stop, .fill]
            case .provider: [.kill, .stop, .fill]
            case .request: [.kill, .stop, .disconnect, .slow, .signOut, .busy, .throttled, .page]
            case .answer: [.kill, .disconnect]
            case .asked(.contents): [.slow, .truncate, .halve, .longer, .page]
            case .asked(.part): [.slow, .truncate, .halve]
            case .asked(.create): [.lie, .quota, .locked, .busy]
            case .asked(.replace): [.lie, .quota]
            case .asked(.move), .asked(.delete): [.locked, .busy]
            case .asked(.page): [.lie, .longer, .page, .truncate]
            case .asked(.item), .asked(.changes): [.lie]
            // These requests are so few that a sample would hardly include them otherwise.
            case .asked(.set), .asked(.trash), .asked(.untrash): [.disconnect, .signOut]
            case .asked: []
            }
        }

        /// The request that has to fail so that the place is reached; `nil` if no failure is needed.
        var cause: CloudRule.Request? {
            if case .engine(let step) = self { step.cause } else { nil }
        }

        static let ofService: [Place] = [.request, .answer] + CloudRule.Request.allCases.map { .asked($0) }

        package static let all: [Place] =
            EngineStep.allCases.map { .engine($0) } + ProviderStep.allCases.map { .provider($0) } + ofService
    }

    package let kind: Kind
    package let place: Place
    /// The number of the visit at which the fault occurs, from 1.
    package let count: Int

    init(_ kind: Kind, at place: Place, _ count: Int) {
        self.kind = kind
        self.place = place
        self.count = count
    }

    /// Parses the form of ``description``. Without a count, the fault occurs at the first visit.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3, let kind = Kind(rawValue: String(parts[0])),
            let place = Place(name: parts[1]), place.kinds.contains(kind),
            let count = parts.count == 3 ? Int(parts[2]) : 1, count > 0
        else { return nil }
        self.init(kind, at: place, count)
    }

    /// Returns the reason why a text cannot be parsed.
    static func complaint(about text: String) -> String {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard let kind = Kind(rawValue: parts[0]) else {
            return SpellingSuggestion.sentence(
                "there is no kind '\(parts[0])'", about: parts[0], known: Kind.allCases.map(\.rawValue), listing: true)
        }
        guard parts.count > 1 else { return "the step after the kind is missing" }
        guard let place = Place(name: parts[1]) else {
            return SpellingSuggestion.sentence(
                "there is no step '\(parts[1])'", about: parts[1], known: Place.all.map(\.name), listing: true)
        }
        guard place.kinds.contains(kind) else {
            return "at \(place.name) there are only \(place.kinds.map(\.rawValue).joined(separator: ", "))"
        }
        return "the count after the step is a number from 1 on"
    }

    package var description: String { "\(kind.rawValue):\(place.name):\(count)" }

    /// The rule that makes the service fail; `nil` if the service is not affected.
    var rule: CloudRule? {
        let effect: CloudRule.Effect
        var request: CloudRule.Request?
        switch place {
        case .engine(let step): return step.cause.map { CloudRule(.dropAfterwards, on: $0, times: 1) }
        case .provider: return nil
        case .request, .answer: break
        case .asked(let asked): request = asked
        }
        switch kind {
        case .fill: return nil
        case .kill, .stop: effect = place == .answer ? .holdAfterwards : .hold
        case .disconnect: effect = place == .request ? .drop : .dropAfterwards
        case .slow where request == .contents: effect = .slow(bytesPerSecond: 200_000)
        case .slow where request == .part: effect = .slow(bytesPerSecond: 1_000_000)
        case .slow: effect = .delay(1)
        case .truncate: effect = .truncate(after: 7)
        case .halve: effect = .halve
        case .lie: effect = .claim(size: count.isMultiple(of: 2) ? 1 : 5_000_000)
        case .quota: effect = .fillUp
        case .signOut: effect = .signOut(password: Self.password)
        case .busy, .throttled, .locked, .page, .longer: return nil
        }
        return CloudRule(effect, on: request, skipping: count - 1, times: 1)
    }

    /// The password that the service accepts.
    static let password = "open sesame"

    /// Returns the value of `PURVEY_FAULT_POINT` for this fault.
    ///
    /// - Parameter isKept: Whether the daemon has a keeper.
    func point(isKept: Bool) -> String {
        // The disk is filled while the process is stopped. A daemon with a keeper is killed while it is stopped.
        let isStop = isKept || kind == .stop || kind == .fill
        return "\(place.name):\(count)" + (isStop ? ":stop" : "")
    }
}

extension EngineStep {
    /// The request whose reply has to be lost so that the step is reached; `nil` if no failure is needed.
    var cause: CloudRule.Request? {
        switch self {
        // An attempt to send an edit failed.
        case .failed: .create
        // An item's existence at the provider is uncertain.
        case .revalidationAnswered, .revalidationApplied: .untrash
        default: nil
        }
    }
}

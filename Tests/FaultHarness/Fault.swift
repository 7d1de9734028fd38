import FileProvider
import FileProviderEngine
import ScriptableService

/// Something that goes wrong once while a scenario is done.
package struct Fault: Sendable, Hashable, CustomStringConvertible {
    package enum Kind: String, CaseIterable, Sendable {
        /// A process is killed, as by kill -9: the daemon at its own steps, the provider otherwise.
        case kill
        /// The same process stands still: the daemon for a while, the provider until its host has enough of it.
        case stop
        /// The service drops the connection.
        case disconnect
        /// The disk under the domain's data, at the provider's steps under all data, is full from then on, for a while.
        case fill
        /// The service takes its time, and sends contents a little at a time.
        case slow
        /// The connection ends in the midst of a file's contents.
        case truncate
        /// Half of a file's contents comes as if it were all of it.
        case halve
        /// What the service says of an item has a wrong size.
        case lie
        /// The service has no room left, until somebody sees to that.
        case quota
        /// The service knows nobody any more, until somebody signs in.
        case signOut = "sign-out"
    }

    /// What is come to, each of them several times.
    package enum Place: Sendable, Hashable {
        case engine(EngineStep)
        case provider(ProviderStep)
        /// The service has a request, and has not done what it asks.
        case request
        /// The service has done what a request asks, and has not answered.
        case answer
        /// The service has a request of this kind, counted by themselves.
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

        /// What can go wrong there.
        package var kinds: [Kind] {
            switch self {
            case .engine: [.kill, .stop, .fill]
            case .provider: [.kill, .stop, .fill]
            case .request: [.kill, .stop, .disconnect, .slow, .signOut]
            case .answer: [.kill, .disconnect]
            case .asked(.contents), .asked(.part): [.slow, .truncate, .halve]
            case .asked(.create), .asked(.replace): [.lie, .quota]
            case .asked(.item), .asked(.page), .asked(.changes): [.lie]
            // So few that one of them is hardly met otherwise.
            case .asked(.set), .asked(.trash), .asked(.untrash): [.disconnect, .signOut]
            case .asked: []
            }
        }

        /// The request that has to go wrong before anything comes there.
        var cause: CloudRule.Request? {
            if case .engine(let step) = self { step.cause } else { nil }
        }

        static let ofService: [Place] = [.request, .answer] + CloudRule.Request.allCases.map { .asked($0) }

        package static let all: [Place] =
            EngineStep.allCases.map { .engine($0) } + ProviderStep.allCases.map { .provider($0) } + ofService
    }

    package let kind: Kind
    package let place: Place
    /// Which time that it is come to, from 1.
    package let count: Int

    init(_ kind: Kind, at place: Place, _ count: Int) {
        self.kind = kind
        self.place = place
        self.count = count
    }

    /// As ``description`` writes it; without a count it is the first time.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3, let kind = Kind(rawValue: String(parts[0])),
            let place = Place(name: parts[1]), place.kinds.contains(kind),
            let count = parts.count == 3 ? Int(parts[2]) : 1, count > 0
        else { return nil }
        self.init(kind, at: place, count)
    }

    package var description: String { "\(kind.rawValue):\(place.name):\(count)" }

    /// What makes the service a bad one; `nil` where it is not the service that something is wrong with.
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
        }
        return CloudRule(effect, on: request, skipping: count - 1, times: 1)
    }

    /// What is right to sign in with.
    static let password = "open sesame"

    /// What `PURVEY_FAULT_POINT` is for it.
    ///
    /// - Parameter isKept: whether the daemon has a keeper.
    func point(isKept: Bool) -> String {
        // The disk is filled while the process stands still, and one whose keeper starts the next is killed while it does.
        let isStop = isKept || kind == .stop || kind == .fill
        return "\(place.name):\(count)" + (isStop ? ":stop" : "")
    }
}

extension EngineStep {
    /// Nothing comes to some steps as long as nothing goes wrong: the request whose answer has to be lost first.
    var cause: CloudRule.Request? {
        switch self {
        // An attempt to send something was in vain.
        case .failed: .create
        // What became of an item is in doubt.
        case .doubtAnswered, .doubtApplied: .untrash
        default: nil
        }
    }
}

import FileProvider
import FileProviderEngine

/// Something that goes wrong once while a scenario is done.
package struct Fault: Sendable, Hashable, CustomStringConvertible {
    package enum Kind: String, CaseIterable, Sendable {
        /// A process is killed, as by kill -9: the daemon at its own steps, the provider otherwise.
        case kill
        /// The same process stands still: the daemon for a while, the provider until its host has enough of it.
        case stop
        /// The service drops the connection.
        case disconnect
        /// The disk under the domain's data is full from then on, for a while.
        case fill
    }

    /// What is come to, each of them several times.
    package enum Place: Sendable, Hashable {
        case engine(EngineStep)
        case provider(ProviderStep)
        /// The service has a request, and has not done what it asks.
        case request
        /// The service has done what a request asks, and has not answered.
        case answer

        package var name: String {
            switch self {
            case .engine(let step): step.rawValue
            case .provider(let step): step.rawValue
            case .request: "service.request"
            case .answer: "service.answer"
            }
        }

        init?(name: some StringProtocol) {
            let name = String(name)
            if let step = EngineStep(rawValue: name) {
                self = .engine(step)
            } else if let step = ProviderStep(rawValue: name) {
                self = .provider(step)
            } else if let place = [Place.request, .answer].first(where: { $0.name == name }) {
                self = place
            } else {
                return nil
            }
        }

        /// What can go wrong there.
        package var kinds: [Kind] {
            switch self {
            case .engine: [.kill, .stop, .fill]
            case .provider: [.kill, .stop]
            case .request: [.kill, .stop, .disconnect]
            case .answer: [.kill, .disconnect]
            }
        }

        package static let all: [Place] =
            EngineStep.allCases.map { .engine($0) } + ProviderStep.allCases.map { .provider($0) } + [.request, .answer]
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

    /// What `PURVEY_FAULT_POINT` is for it.
    var point: String {
        let isStop =
            switch (kind, place) {
            // The disk is filled while the process stands still.
            case (.stop, _), (.fill, _): true
            default: false
            }
        return "\(place.name):\(count)" + (isStop ? ":stop" : "")
    }
}

import CoordinationService
import FileCoordination
import LinuxSystem

/// Examples of the frames that a process sends to the daemon's arbiter.
package enum CoordinationSamples {
    private static let path: ExactPath = "/home/u/a.txt"

    package static var all: [FrameSample] {
        get throws {
            let file = try MemoryFile.create(name: "handed")
            let accesses = [Access.Traits.writes, [], [.writes, .deletes], [.writes, .moves]].map {
                Access(path: path, key: path, traits: $0)
            }
            let request = ClaimRequest(number: 1, accesses: accesses, purpose: "p")
            let events: [CoordinationEvent] = [
                .claim(ClaimRequest(number: 1, accesses: [accesses[1]], purpose: "p")), .claim(request),
                .claim(ClaimRequest(number: 2, accesses: [accesses[1]], purpose: "q", handed: file)), .adopt(request),
                .adoptedAll, .release(claim: 1, outcomes: [ClaimOutcome(access: 0, change: .deleted)]),
                .cancel(claim: 1), .answer(preparation: 1, failure: nil),
                .present(PresenterPlace(number: 1, path: path, key: path)), .removePresenter(1),
                .changedAttributes(path: path, names: ["n"], excepted: nil),
            ]
            let samples = try events.map { try FrameSample(of: EventNotice($0)) }
            return samples + [try FrameSample(of: CoordinateCall())]
        }
    }
}

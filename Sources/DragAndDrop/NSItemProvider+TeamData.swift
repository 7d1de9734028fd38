import Foundation
import ItemProvider

extension NSItemProvider {
    /// The most bytes of team data of an item.
    private static let mostTeamData = 8 << 10

    /// Up to 8 KiB that only programs of the same team see, in addition to the representations. Setting more removes
    /// the data.
    ///
    /// It is sent to other processes with the item, but is no representation: its type is not listed. Reading it may
    /// load it from the process that offers the item, and then blocks the calling thread. It is `nil` on failure.
    ///
    /// Source: UIKit, `NSItemProvider+UIKitAdditions.h`.
    public var teamData: Data? {
        get {
            guard let representation = promise.teamRepresentation else { return nil }
            let promise = promise
            return MainThread.wait(within: .seconds(60)) { done in
                _ = LoadOperation.start(representation, of: promise, as: .data) { result in
                    done(try? result.flatMap { $0.asData }.get())
                }
            }
        }
        set {
            guard let data = newValue, data.count <= Self.mostTeamData else {
                return promise.teamRepresentation = nil
            }
            promise.teamRepresentation = .data(Representation.teamDataType, visibility: .team) { completion in
                completion(data, nil)
                return nil
            }
        }
    }
}

import Foundation
import ItemProvider

extension NSItemProvider {
    /// How many bytes of data for the team an item takes.
    private static let mostTeamData = 8 << 10

    /// Up to 8 KiB that only programs of the same team see, besides what the item offers to all. More is not taken.
    ///
    /// It crosses to other processes with the item, and is no representation: its type is not listed. Reading it may load it from the
    /// process that offers the item, and then blocks the calling thread; it is `nil` where that fails.
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

import Foundation
import Images
import ItemProvider

/// The preferred presentation of an item. It is known within one process only: other processes get the item's types,
/// its name and the loaded values.
///
/// Source: UIKit, `NSItemProvider+UIKitAdditions.h`.
extension NSItemProvider {
    /// The presentation of an item in a text.
    public enum PreferredPresentationStyle: Int, Sendable {
        /// No preference.
        case unspecified = 0
        /// As part of the text.
        case inline = 1
        /// As an attachment of the text.
        case attachment = 2
    }

    /// The preferred size in points; zero if any size suits.
    public var preferredPresentationSize: CGSize {
        get { promise.presentation.size }
        set { promise.presentation.size = newValue }
    }

    /// The preferred presentation style.
    public var preferredPresentationStyle: PreferredPresentationStyle {
        get { PreferredPresentationStyle(rawValue: promise.presentation.style) ?? .unspecified }
        set { promise.presentation.style = newValue.rawValue }
    }
}

/// The origin of an item on the screen, for programs for the Mac.
///
/// Source: AppKit, `NSItemProvider+AppKitAdditions.h`.
extension NSItemProvider {
    /// The frame of the item on the screen; zero if it is unknown, as for an item of another process.
    public package(set) var sourceFrame: NSRect {
        get { promise.presentation.sourceFrame }
        set { promise.presentation.sourceFrame = newValue }
    }

    /// The frame of the item's container on the screen; zero if it is unknown, as for an item of another process.
    public package(set) var containerFrame: NSRect {
        get { promise.presentation.containerFrame }
        set { promise.presentation.containerFrame = newValue }
    }
}

/// A class whose objects have a preferred presentation size.
@MainActor public protocol UIItemProviderPresentationSizeProviding: NSObjectProtocol {
    /// The size in points.
    var preferredPresentationSizeForItemProvider: CGSize { get }
}

extension UIImage: UIItemProviderPresentationSizeProviding {
    /// The image's own size.
    @MainActor public var preferredPresentationSizeForItemProvider: CGSize { size }
}

extension NSItemProvider {
    /// The maximum number of bytes of team data of an item.
    private static let mostTeamData = 8 << 10

    /// Data of up to 8 KiB that only programs of the same team see, in addition to the representations. Setting more
    /// than 8 KiB removes the data.
    ///
    /// The data is sent to other processes with the item, but its type is not in the list of the item's types. Reading
    /// this property may load the data from the process that offers the item, and blocks the calling thread during the
    /// load. The value is `nil` after a failure.
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

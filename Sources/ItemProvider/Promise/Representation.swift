import Foundation

/// One promised form of an item: its type, its visibility, and the handler that produces it.
package struct Representation: Sendable {
    /// A completion handler that gets the supply. It may be called several times. Only the first call has an effect.
    package typealias Completion = @Sendable (Result<Supply, any Error>) -> Void
    /// A function that gets the finished fraction, from 0 to 1.
    package typealias Report = @Sendable (Double) -> Void

    /// A load handler of this process: client code, which may block. Returns its own progress, if it has one.
    package typealias Handler = @Sendable (Delivery, @escaping Completion) -> Progress?

    /// A request to another process. Neither the request nor the functions that it calls may block. Returns a function
    /// that cancels the request.
    package typealias Request = @Sendable (Delivery, @escaping Report, @escaping Completion) -> @Sendable () -> Void

    /// A handler of `registerItem`, which produces the registered object without conversion. It runs client code, or
    /// sends a request to another process. It completes once, with `nil` if the representation has no object. Returns a
    /// function that cancels the request.
    typealias ItemHandler =
        @Sendable (ItemRequest, @escaping @Sendable (Result<ItemValue?, any Error>) -> Void) -> (@Sendable () -> Void)?

    /// The process that produces the representation.
    package enum Keeper: Sendable {
        /// This process. A file that is offered as a copy is converted on the thread that completes the handler, before
        /// its completion call returns, because the provider may change the file afterwards. Any other supply stays
        /// valid, and is converted on this thread only if the thread may block.
        case handler(Handler)
        /// Another process. The conversion is moved to another thread than the one that receives the reply.
        case request(Request)
    }

    package let typeIdentifier: String
    package let visibility: NSItemProviderRepresentationVisibility
    package let fileOptions: NSItemProviderFileOptions
    package let keeper: Keeper
    /// Whether the handler produces files. `false` for a handler in another process, because this is not known.
    package let suppliesFiles: Bool
    /// The handler of `registerItem`, if the representation was registered with that function.
    let item: ItemHandler?

    /// Whether the representation has an object, besides data or a file.
    package var hasItem: Bool { item != nil }

    package init(
        typeIdentifier: String, visibility: NSItemProviderRepresentationVisibility,
        fileOptions: NSItemProviderFileOptions, suppliesFiles: Bool = false, handler: @escaping Handler
    ) {
        self.init(
            typeIdentifier: typeIdentifier, visibility: visibility, fileOptions: fileOptions, keeper: .handler(handler),
            suppliesFiles: suppliesFiles)
    }

    package init(
        typeIdentifier: String, visibility: NSItemProviderRepresentationVisibility,
        fileOptions: NSItemProviderFileOptions, request: @escaping Request
    ) {
        self.init(
            typeIdentifier: typeIdentifier, visibility: visibility, fileOptions: fileOptions, keeper: .request(request))
    }

    init(
        typeIdentifier: String, visibility: NSItemProviderRepresentationVisibility,
        fileOptions: NSItemProviderFileOptions, keeper: Keeper, suppliesFiles: Bool = false,
        item: ItemHandler? = nil
    ) {
        self.typeIdentifier = typeIdentifier
        self.visibility = visibility
        self.fileOptions = fileOptions
        self.keeper = keeper
        self.suppliesFiles = suppliesFiles
        self.item = item
    }

    /// Returns the same representation with the given visibility, which must be at least as strict as its own.
    package func restricted(to visibility: NSItemProviderRepresentationVisibility) -> Representation {
        Representation(
            typeIdentifier: typeIdentifier, visibility: visibility, fileOptions: fileOptions, keeper: keeper,
            suppliesFiles: suppliesFiles, item: item)
    }

    /// The type under which data for the same team is offered. Only processes of that team see it.
    package static let teamDataType = "org.purvey.team-data"

    var isRemote: Bool {
        if case .request = keeper { return true }
        return false
    }
}

/// The options of a file that a provider offers.
public struct NSItemProviderFileOptions: OptionSet, Sendable {
    /// The bits of the set; `openInPlace` is 1.
    public let rawValue: Int

    /// Creates a set from its bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The consumer may get the original file instead of a copy.
    public static let openInPlace = NSItemProviderFileOptions(rawValue: 1)
}

/// The processes that may see and load a representation.
///
/// Inside one process everything is visible. Across processes, the daemon decides. It uses the system's information
/// about the requesting process, and not the process's own statements.
public enum NSItemProviderRepresentationVisibility: Int, Sendable {
    /// Every process of the same user.
    case all = 0
    /// Processes whose registered bundle names the same team.
    case team = 1
    /// Processes of the same group. On Linux, this is the same as ``team``.
    case group = 2
    /// Only the process that registered the representation.
    case ownProcess = 3
}

/// The form in which a consumer requests a representation, see ``BridgingPlan``.
package enum Delivery: Int, Sendable, CaseIterable {
    /// The bytes, in memory.
    case data = 0
    /// A file of the consumer's own, copied from the provider's.
    case copy = 1
    /// The provider's file itself if that is allowed and possible, else a copy.
    case inPlace = 2
}

import Foundation

/// One promised form of an item: its type, who may see it, and what keeps the promise.
package struct Representation: Sendable {
    /// Called with what was produced. Called once; later calls are ignored.
    package typealias Completion = @Sendable (Result<Supply, any Error>) -> Void
    /// Told the finished fraction, from 0 to 1.
    package typealias Report = @Sendable (Double) -> Void

    /// A load handler of this process: client code, which may block. Returns its own progress, if it has one.
    package typealias Handler = @Sendable (Delivery, @escaping Completion) -> Progress?

    /// Asks another process. Neither this nor what it calls may block. Returns what cancels the asking.
    package typealias Request = @Sendable (Delivery, @escaping Report, @escaping Completion) -> @Sendable () -> Void

    /// Produces the object of the coercing interface, as it is stored. Runs client code, or asks another process; calls back
    /// once, with `nil` where the representation has no object after all. Returns what cancels the asking of another process.
    typealias ItemHandler =
        @Sendable (ItemRequest, @escaping @Sendable (Result<ItemValue?, any Error>) -> Void) -> (@Sendable () -> Void)?

    /// Who keeps a promise.
    package enum Keeper: Sendable {
        /// This process. A file that is offered as a copy is bridged on the thread on which the handler answers, before its
        /// completion call returns: from then on the provider may change it. Everything else stays good, and is
        /// bridged there only when that thread is one that may be blocked.
        case handler(Handler)
        /// Another process. Bridging moves off the thread on which its answer comes in.
        case request(Request)
    }

    package let typeIdentifier: String
    package let visibility: NSItemProviderRepresentationVisibility
    package let fileOptions: NSItemProviderFileOptions
    package let keeper: Keeper
    /// Whether the handler names files. Unknown, and so not set, where it does not run here.
    package let suppliesFiles: Bool
    /// Set for what was registered through the coercing interface.
    let item: ItemHandler?

    /// Whether there is an object to be had, besides data or a file.
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

    /// The same promise, shown to fewer processes.
    package func restricted(to visibility: NSItemProviderRepresentationVisibility) -> Representation {
        Representation(
            typeIdentifier: typeIdentifier, visibility: visibility, fileOptions: fileOptions, keeper: keeper,
            suppliesFiles: suppliesFiles, item: item)
    }

    /// The type under which data for the same team crosses. Whoever sees it is of that team.
    package static let teamDataType = "org.purvey.team-data"

    var isRemote: Bool {
        if case .request = keeper { return true }
        return false
    }
}

import Foundation

/// One promised form of an item: its type, who may see it, and the handler that keeps the promise.
package struct Representation: Sendable {
    /// Called with what a load handler produced. Called once; later calls are ignored.
    package typealias Completion = @Sendable (Result<Supply, any Error>) -> Void
    /// Starts producing. Returns the handler's own progress, if it has one.
    package typealias Handler = @Sendable (Delivery, @escaping Completion) -> Progress?

    package let typeIdentifier: String
    package let visibility: NSItemProviderRepresentationVisibility
    package let fileOptions: NSItemProviderFileOptions
    /// Whether the promise is kept by another process. Then the completion is called on a thread that must not
    /// block, and bridging moves off it; a local handler's own thread does the bridging, because a file that is offered
    /// as a copy may be changed by the provider as soon as its completion call returns.
    package let isRemote: Bool
    package let handler: Handler

    package init(
        typeIdentifier: String, visibility: NSItemProviderRepresentationVisibility,
        fileOptions: NSItemProviderFileOptions, isRemote: Bool = false, handler: @escaping Handler
    ) {
        self.typeIdentifier = typeIdentifier
        self.visibility = visibility
        self.fileOptions = fileOptions
        self.isRemote = isRemote
        self.handler = handler
    }
}

import Foundation

/// A class whose objects can be created from an item provider's representations.
///
/// Source: Foundation, `NSItemProvider.h`.
public protocol NSItemProviderReading: NSObjectProtocol {
    /// The types from which objects of the class can be created, best first.
    static var readableTypeIdentifiersForItemProvider: [String] { get }

    /// Creates an object from data.
    ///
    /// - Parameter typeIdentifier: the type of the data as the provider registered it: a type in the class's list, or a
    ///   type that conforms to one of them.
    static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self
}

/// A class whose objects an item provider can offer.
///
/// The class's list of types is required. The instance's list is needed only if an object offers other types. Only data
/// can be offered this way; register a file representation for files.
///
/// Source: Foundation, `NSItemProvider.h`.
public protocol NSItemProviderWriting: NSObjectProtocol {
    /// The types that objects of the class can be written as, best first.
    static var writableTypeIdentifiersForItemProvider: [String] { get }

    /// The types that this object can be written as, best first. By default, these are the types of the class.
    var writableTypeIdentifiersForItemProvider: [String] { get }

    /// Returns the visibility of the representation of the given type, which is one of the types that objects of the
    /// class can be written as. By default, the visibility is `all`.
    static func itemProviderVisibilityForRepresentation(
        withTypeIdentifier typeIdentifier: String
    ) -> NSItemProviderRepresentationVisibility

    /// Returns the visibility of the representation of the given type, which is one of the types that this object can
    /// be written as. By default, it is the visibility that the class specifies.
    func itemProviderVisibilityForRepresentation(
        withTypeIdentifier typeIdentifier: String
    ) -> NSItemProviderRepresentationVisibility

    /// Writes the object as data of the given type, one of its writable types.
    ///
    /// Called for every load, on an arbitrary queue. Calls the completion handler once, with the data or an error.
    ///
    /// - Returns: the progress of the writing, if it takes a while and can be cancelled.
    func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress?
}

extension NSItemProviderWriting {
    /// The types of the class.
    public var writableTypeIdentifiersForItemProvider: [String] { Self.writableTypeIdentifiersForItemProvider }

    /// Returns `all`.
    public static func itemProviderVisibilityForRepresentation(
        withTypeIdentifier typeIdentifier: String
    ) -> NSItemProviderRepresentationVisibility {
        .all
    }

    /// Returns the visibility that the class specifies for the type.
    public func itemProviderVisibilityForRepresentation(
        withTypeIdentifier typeIdentifier: String
    ) -> NSItemProviderRepresentationVisibility {
        Self.itemProviderVisibilityForRepresentation(withTypeIdentifier: typeIdentifier)
    }
}

import Foundation

/// A class whose objects can be made from an item provider's representations.
///
/// Source: Foundation, `NSItemProvider.h`.
public protocol NSItemProviderReading: NSObjectProtocol {
    /// The types that objects of the class can be made from, best first.
    static var readableTypeIdentifiersForItemProvider: [String] { get }

    /// Creates an object from data.
    ///
    /// - Parameter typeIdentifier: the type of the data as the provider registered it: one of the class's own list or
    ///   a kind of one.
    static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self
}

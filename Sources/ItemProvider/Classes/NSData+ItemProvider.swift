// In a file of its own, as each class of Foundation that providers offer and read.
import Foundation
import UniformTypeIdentifiers

/// Data without a type of its own is offered as `public.data` and read from any type that has bytes.
extension NSData: NSItemProviderReading, NSItemProviderWriting {
    /// `public.data`.
    public static var writableTypeIdentifiersForItemProvider: [String] { [UTType.data.identifier] }

    /// Data of any kind; a directory is read as its zip archive.
    public static var readableTypeIdentifiersForItemProvider: [String] {
        [UTType.data.identifier, UTType.item.identifier]
    }

    /// Writes the bytes.
    public func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress? {
        completionHandler(Data(referencing: self), nil)
        return nil
    }

    /// Creates data from the unchanged bytes.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
        let copies: [NSData] = Self.self is NSMutableData.Type ? [NSMutableData(data: data)] : [data as NSData]
        guard let result = copies.first as? Self else {
            throw ItemProviderError.cannotCoerce(to: "\(Self.self)", from: typeIdentifier)
        }
        return result
    }
}

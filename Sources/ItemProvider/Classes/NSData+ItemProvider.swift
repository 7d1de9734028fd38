import Foundation
import UniformTypeIdentifiers

/// Data without a type of its own: offered as `public.data`, read from anything that has bytes.
extension NSData: NSItemProviderReading, NSItemProviderWriting {
    /// `public.data`.
    public static var writableTypeIdentifiersForItemProvider: [String] { [UTType.data.identifier] }

    /// Data of any kind; a directory is read as its zip archive.
    public static var readableTypeIdentifiersForItemProvider: [String] {
        [UTType.data.identifier, UTType.item.identifier]
    }

    /// The bytes.
    public func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress? {
        completionHandler(Data(referencing: self), nil)
        return nil
    }

    /// The bytes as they came.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
        let copies: [NSData] = Self.self is NSMutableData.Type ? [NSMutableData(data: data)] : [data as NSData]
        guard let result = copies.first as? Self else {
            throw ItemProviderError.cannotCoerce(to: "\(Self.self)", from: typeIdentifier)
        }
        return result
    }
}

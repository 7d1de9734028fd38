import Foundation

/// An object of a client's class, carried into load handlers.
///
/// Sendable because the contract of `NSItemProviderWriting` says so in words: `loadData` is called on an arbitrary
/// queue, and a class whose objects do not support that must not be registered. Apple's declaration leaves it
/// unchecked as well.
struct SharedObject: @unchecked Sendable {
    let value: any NSItemProviderWriting
}

/// A reading class, carried into a completion handler.
///
/// Sendable because a metatype has no state; the compiler cannot know it for a metatype of a protocol that is not
/// Sendable.
struct SharedReader: @unchecked Sendable {
    let value: any NSItemProviderReading.Type
}

/// A writing class, carried into load handlers. Sendable for the same reason.
struct SharedWriter: @unchecked Sendable {
    let value: any NSItemProviderWriting.Type

    /// Whether an object is of the class or a subclass.
    func made(_ object: any NSItemProviderWriting) -> Bool {
        func isOfClass<Writer: NSItemProviderWriting>(_ writer: Writer.Type) -> Bool { object is Writer }
        return isOfClass(value)
    }
}

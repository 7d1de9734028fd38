import Foundation
import FoundationAdditions
import ItemProvider

/// The types that an object accepts from a paste or drop. Types can be added by identifier, or by a class that reads
/// them.
///
/// Source: UIKit, `UIPasteConfiguration.h`.
@MainActor open class UIPasteConfiguration: NSObject, NSSecureCoding, NSCopying {
    /// The accepted types.
    open var acceptableTypeIdentifiers: [String]

    /// Creates a configuration that accepts no types yet.
    public override init() {
        acceptableTypeIdentifiers = []
        super.init()
    }

    /// Creates a configuration that accepts the given types.
    public convenience init(acceptableTypeIdentifiers: [String]) {
        self.init()
        addAcceptableTypeIdentifiers(acceptableTypeIdentifiers)
    }

    /// Creates a configuration that accepts the types that the given class reads.
    public convenience init(forAccepting aClass: any NSItemProviderReading.Type) {
        self.init()
        addTypeIdentifiers(forAccepting: aClass)
    }

    /// Creates a configuration that accepts the types from which values of type `T` are read.
    public convenience init<T>(forAccepting _: T.Type)
    where T: _ObjectiveCBridgeable, T._ObjectiveCType: NSItemProviderReading {
        self.init(forAccepting: T._ObjectiveCType.self)
    }

    /// Creates a configuration from an archive; `nil` if the archive has no accepted types. Must be called on the main
    /// actor.
    public nonisolated required init?(coder: NSCoder) {
        guard
            let types = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: Self.typesKey) as? [String]
        else { return nil }
        acceptableTypeIdentifiers = types
        super.init()
    }

    /// Writes the accepted types. Must be called on the main actor.
    open nonisolated func encode(with coder: NSCoder) {
        // Foundation's protocols have no actor isolation, but the object belongs to the main actor.
        let types = MainActor.assumeIsolated { acceptableTypeIdentifiers }
        coder.encode(types as NSArray, forKey: Self.typesKey)
    }

    /// Whether the class supports secure coding: `true`.
    open nonisolated class var supportsSecureCoding: Bool { true }

    /// Returns a configuration that accepts the same types. A subclass overrides this function if its copies must have
    /// its own class. Must be called on the main actor.
    open nonisolated func copy(with zone: NSZone? = nil) -> Any {
        MainActor.assumeIsolated {
            Disconnected(UIPasteConfiguration(acceptableTypeIdentifiers: acceptableTypeIdentifiers))
        }.value
    }

    private nonisolated static let typesKey = "acceptableTypeIdentifiers"

    /// Adds the given types to the accepted types.
    open func addAcceptableTypeIdentifiers(_ acceptableTypeIdentifiers: [String]) {
        for type in acceptableTypeIdentifiers where !self.acceptableTypeIdentifiers.contains(type) {
            self.acceptableTypeIdentifiers.append(type)
        }
    }

    /// Adds to the accepted types all types that the given class reads.
    open func addTypeIdentifiers(forAccepting aClass: any NSItemProviderReading.Type) {
        addAcceptableTypeIdentifiers(aClass.readableTypeIdentifiersForItemProvider)
    }

    /// Adds to the accepted types all types from which values of type `T` are read.
    public func addTypeIdentifiers<T>(forAccepting aClass: T.Type)
    where T: _ObjectiveCBridgeable, T._ObjectiveCType: NSItemProviderReading {
        addTypeIdentifiers(forAccepting: T._ObjectiveCType.self)
    }
}

/// An object that accepts pasted items.
@MainActor public protocol UIPasteConfigurationSupporting: NSObjectProtocol {
    /// The accepted types.
    var pasteConfiguration: UIPasteConfiguration? { get set }
    /// Pastes these items.
    func paste(itemProviders: [NSItemProvider])
    /// Whether the items can be pasted. By default, this is the case if there are items and each has an accepted type.
    func canPaste(_ itemProviders: [NSItemProvider]) -> Bool
}

extension UIPasteConfigurationSupporting {
    /// Does nothing.
    public func paste(itemProviders: [NSItemProvider]) {}

    /// Whether there are items, and each of them has an accepted type.
    public func canPaste(_ itemProviders: [NSItemProvider]) -> Bool {
        let types = pasteConfiguration?.acceptableTypeIdentifiers ?? []
        return !itemProviders.isEmpty && itemProviders.allSatisfy { $0.hasOne(of: types) }
    }
}

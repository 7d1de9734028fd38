import Foundation
import ItemProvider

/// What something takes when it is pasted or dropped to: types, and classes by the types that they read.
///
/// Source: UIKit, `UIPasteConfiguration.h`.
@MainActor open class UIPasteConfiguration: NSObject, NSSecureCoding, NSCopying {
    /// The types that are taken.
    open var acceptableTypeIdentifiers: [String]

    /// Takes nothing yet.
    public override init() {
        acceptableTypeIdentifiers = []
        super.init()
    }

    /// Takes these types.
    public convenience init(acceptableTypeIdentifiers: [String]) {
        self.init()
        addAcceptableTypeIdentifiers(acceptableTypeIdentifiers)
    }

    /// Takes what a class reads.
    public convenience init(forAccepting aClass: any NSItemProviderReading.Type) {
        self.init()
        addTypeIdentifiers(forAccepting: aClass)
    }

    /// Takes what values of a type are read from.
    public convenience init<T>(forAccepting _: T.Type)
    where T: _ObjectiveCBridgeable, T._ObjectiveCType: NSItemProviderReading {
        self.init(forAccepting: T._ObjectiveCType.self)
    }

    /// A configuration from an archive; `nil` where there is none in it. On the main actor.
    public nonisolated required init?(coder: NSCoder) {
        guard
            let types = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: Self.typesKey) as? [String]
        else { return nil }
        acceptableTypeIdentifiers = types
        super.init()
    }

    /// Writes the types that are taken. On the main actor.
    open nonisolated func encode(with coder: NSCoder) {
        // Foundation's protocols know no actors; the object itself is the main actor's.
        let types = MainActor.assumeIsolated { acceptableTypeIdentifiers }
        coder.encode(types as NSArray, forKey: Self.typesKey)
    }

    /// `true`.
    open nonisolated class var supportsSecureCoding: Bool { true }

    /// A configuration that takes the same. A subclass whose copies are to be of its own class overrides this. On the main actor.
    open nonisolated func copy(with zone: NSZone? = nil) -> Any {
        MainActor.assumeIsolated {
            CopiedConfiguration(
                value: UIPasteConfiguration(acceptableTypeIdentifiers: acceptableTypeIdentifiers))
        }.value
    }

    private nonisolated static let typesKey = "acceptableTypeIdentifiers"

    /// Takes these types too.
    open func addAcceptableTypeIdentifiers(_ acceptableTypeIdentifiers: [String]) {
        for type in acceptableTypeIdentifiers where !self.acceptableTypeIdentifiers.contains(type) {
            self.acceptableTypeIdentifiers.append(type)
        }
    }

    /// Takes what a class reads too.
    open func addTypeIdentifiers(forAccepting aClass: any NSItemProviderReading.Type) {
        addAcceptableTypeIdentifiers(aClass.readableTypeIdentifiersForItemProvider)
    }

    /// Takes what values of a type are read from too.
    public func addTypeIdentifiers<T>(forAccepting aClass: T.Type)
    where T: _ObjectiveCBridgeable, T._ObjectiveCType: NSItemProviderReading {
        addTypeIdentifiers(forAccepting: T._ObjectiveCType.self)
    }
}

/// Sendable because it only leaves the isolation that it was just made in.
private struct CopiedConfiguration: @unchecked Sendable {
    let value: UIPasteConfiguration
}

/// Something that can be pasted to.
@MainActor public protocol UIPasteConfigurationSupporting: NSObjectProtocol {
    /// What it takes.
    var pasteConfiguration: UIPasteConfiguration? { get set }
    /// Pastes these items.
    func paste(itemProviders: [NSItemProvider])
    /// Whether it takes these items; without an answer, whether each has a type that is taken.
    func canPaste(_ itemProviders: [NSItemProvider]) -> Bool
}

extension UIPasteConfigurationSupporting {
    /// Nothing.
    public func paste(itemProviders: [NSItemProvider]) {}

    /// Whether there are items, and each has a type that is taken.
    public func canPaste(_ itemProviders: [NSItemProvider]) -> Bool {
        let types = pasteConfiguration?.acceptableTypeIdentifiers ?? []
        return !itemProviders.isEmpty && itemProviders.allSatisfy { $0.hasOne(of: types) }
    }
}

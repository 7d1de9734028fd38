import Foundation
import LinuxSystem
import UniformTypeIdentifiers

/// The state of an item provider: its representations in order of registration, and its suggested name.
///
/// `NSItemProvider` is an open class that cannot be `Sendable`, because client code declares that itself; this is the
/// part of it that may cross threads.
package final class ItemPromise: Sendable {
    /// How the item would like to be shown, as the module of drags and pasteboards names it.
    package struct Presentation: Sendable {
        package var size = CGSize.zero
        package var style = 0
        /// Where the item was, and what it was in, on the screen that it comes from.
        package var sourceFrame = CGRect.zero
        package var containerFrame = CGRect.zero
    }

    private struct State {
        var presentation = Presentation()
        var representations: [Representation] = []
        var suggestedName: String?
        var teamRepresentation: Representation?
        /// Types that nobody declared, by identifier in lowercase, as they were registered: with what they conform to.
        var undeclaredTypes: [String: UTType] = [:]
        var previewImageHandler: NSItemProvider.LoadHandler?
        /// Copies that were given to consumers as URLs, which must be good for as long as the item is there.
        var copies: [LoadFolder] = []
    }

    // Innermost: no other lock is taken and no client code is called while it is held.
    private let state = Lock(State())

    package init() {}

    package init(copying other: ItemPromise) {
        var copied = other.state.withLock { $0 }
        copied.copies = []
        let own = copied
        state.withLock { $0 = own }
    }

    /// The same item with other representations of its own; a type for which there is none is left out. What is kept for the
    /// team is not changed.
    package func changed(_ body: (Representation) -> Representation?) -> ItemPromise {
        let copy = ItemPromise(copying: self)
        let changed = copy.representations.compactMap(body)
        copy.state.withLock { $0.representations = changed }
        return copy
    }

    package var representations: [Representation] {
        state.withLock { $0.representations }
    }

    package var suggestedName: String? {
        get { state.withLock { $0.suggestedName } }
        set { state.withLock { $0.suggestedName = newValue } }
    }

    package var previewImageHandler: NSItemProvider.LoadHandler? {
        get { state.withLock { $0.previewImageHandler } }
        set { state.withLock { $0.previewImageHandler = newValue } }
    }

    /// What only processes of the same team see besides the representations, and none of them.
    package var teamRepresentation: Representation? {
        get { state.withLock { $0.teamRepresentation } }
        set { state.withLock { $0.teamRepresentation = newValue } }
    }

    /// Everything that other processes are offered.
    package var offered: [Representation] {
        state.withLock { $0.representations + ($0.teamRepresentation.map { [$0] } ?? []) }
    }

    package var presentation: Presentation {
        get { state.withLock { $0.presentation } }
        set { state.withLock { $0.presentation = newValue } }
    }

    /// Keeps a copy until the item goes.
    func keep(_ folder: LoadFolder) {
        state.withLock { $0.copies.append(folder) }
    }

    /// Adds a representation behind those already there. A type that is already registered keeps its place and its
    /// handler, as the documentation of `registerObject` has it: duplicates are ignored.
    package func register(_ representation: Representation) {
        state.withLock { state in
            let isKnown = state.representations.contains {
                TypeIdentifier.areEqual($0.typeIdentifier, representation.typeIdentifier)
            }
            if !isKnown { state.representations.append(representation) }
        }
    }

    /// Keeps a type that was registered with what it conforms to, when its identifier alone would not tell.
    func remember(_ contentType: UTType) {
        if contentType.isDeclared || contentType.isDynamic { return }
        state.withLock { $0.undeclaredTypes[contentType.identifier.lowercased()] = contentType }
    }

    func undeclaredType(_ typeIdentifier: String) -> UTType? {
        state.withLock { state in
            state.undeclaredTypes.isEmpty ? nil : state.undeclaredTypes[typeIdentifier.lowercased()]
        }
    }

    /// The type of an identifier, also of one that nobody declared but that was registered as a type.
    func contentType(_ typeIdentifier: String) -> UTType? {
        UTType(typeIdentifier) ?? undeclaredType(typeIdentifier)
    }

    /// Whether a registered type is, or is a kind of, another.
    func conforms(_ typeIdentifier: String, to other: String) -> Bool {
        if TypeIdentifier.conforms(typeIdentifier, to: other) { return true }
        guard let type = undeclaredType(typeIdentifier), let parent = UTType(other) else { return false }
        return type.conforms(to: parent)
    }

    /// The first representation whose type conforms to the asked one.
    package func representation(
        conformingTo typeIdentifier: String, fileOptions: NSItemProviderFileOptions = []
    ) -> Representation? {
        representations.first {
            $0.fileOptions.isSuperset(of: fileOptions)
                && conforms($0.typeIdentifier, to: typeIdentifier)
        }
    }

    /// The representation of exactly this type.
    package func representation(of typeIdentifier: String) -> Representation? {
        representations.first { TypeIdentifier.areEqual($0.typeIdentifier, typeIdentifier) }
    }
}

/// Comparing type identifiers that need not be declared anywhere.
package enum TypeIdentifier {
    /// Identifiers are compared without regard to ASCII case.
    package static func areEqual(_ one: String, _ other: String) -> Bool {
        one == other
            || (one.utf8.count == other.utf8.count
                && zip(one.utf8, other.utf8).allSatisfy { lowercase($0) == lowercase($1) })
    }

    /// Whether a type is, or is a kind of, another. A type nobody declared conforms to itself only.
    package static func conforms(_ identifier: String, to other: String) -> Bool {
        if areEqual(identifier, other) { return true }
        guard let type = UTType(identifier), let parent = UTType(other) else { return false }
        return type.conforms(to: parent)
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
    }
}

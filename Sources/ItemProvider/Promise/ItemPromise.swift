import Foundation
import Glibc
import LinuxSystem
import UniformTypeIdentifiers

/// The state of an item provider: its representations in order of registration, and its suggested name.
///
/// `NSItemProvider` is an open class that is not declared `Sendable`, because client code may declare this conformance
/// itself. This part of it may cross threads.
package final class ItemPromise: Sendable {
    /// The appearance of the item in a drag; the module of drags and pasteboards defines the values.
    package struct Presentation: Sendable {
        package var size = CGSize.zero
        package var style = 0
        /// The frames of the item and of its container, on the screen that it is dragged from.
        package var sourceFrame = CGRect.zero
        package var containerFrame = CGRect.zero
    }

    private struct State {
        var presentation = Presentation()
        var representations: [Representation] = []
        var suggestedName: String?
        var teamRepresentation: Representation?
        /// The undeclared types that were registered, with the types that they conform to, by identifier in
        /// lowercase.
        var undeclaredTypes: [String: UTType] = [:]
        var previewImageHandler: NSItemProvider.LoadHandler?
        /// Copies that were given to consumers as URLs, which must stay valid as long as the item exists.
        var copies: [LoadFolder] = []
    }

    // Leaf lock: no client code is called while it is held.
    private let state = Lock(State())

    package init() {}

    package init(copying other: ItemPromise) {
        var copied = other.state.withLock { $0 }
        copied.copies = []
        let own = copied
        state.withLock { $0 = own }
    }

    /// Returns a copy of the item in which each representation is replaced by the result of `body`. A representation
    /// for which `body` returns `nil` is left out. The team's representation is not changed.
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

    /// A representation that only processes of the same team see. It is not one of `representations`.
    package var teamRepresentation: Representation? {
        get { state.withLock { $0.teamRepresentation } }
        set { state.withLock { $0.teamRepresentation = newValue } }
    }

    /// All representations that are offered to other processes.
    package var offered: [Representation] {
        state.withLock { $0.representations + ($0.teamRepresentation.map { [$0] } ?? []) }
    }

    package var presentation: Presentation {
        get { state.withLock { $0.presentation } }
        set { state.withLock { $0.presentation = newValue } }
    }

    /// Retains the directory with the copy of a loaded file until the item is released.
    func keep(_ folder: LoadFolder) {
        state.withLock { $0.copies.append(folder) }
    }

    /// Adds a representation after the existing ones. A type that is already registered keeps its place and its
    /// handler, because duplicates are ignored, as the documentation of `registerObject` states.
    package func register(_ representation: Representation) {
        state.withLock { state in
            let isKnown = state.representations.contains {
                TypeIdentifier.areEqual($0.typeIdentifier, representation.typeIdentifier)
            }
            if !isKnown { state.representations.append(representation) }
        }
    }

    /// Records a registered type with the types that it conforms to, if its identifier alone does not imply them.
    func remember(_ contentType: UTType) {
        if contentType.isDeclared || contentType.isDynamic { return }
        state.withLock { $0.undeclaredTypes[contentType.identifier.lowercased()] = contentType }
    }

    func undeclaredType(_ typeIdentifier: String) -> UTType? {
        state.withLock { state in
            state.undeclaredTypes.isEmpty ? nil : state.undeclaredTypes[typeIdentifier.lowercased()]
        }
    }

    /// Returns the type with the given identifier. An undeclared type is found only if it was registered as a `UTType`.
    func contentType(_ typeIdentifier: String) -> UTType? {
        UTType(typeIdentifier) ?? undeclaredType(typeIdentifier)
    }

    /// Whether the first type is the second type, or conforms to it. The types that were registered as an undeclared
    /// `UTType` are included.
    func conforms(_ typeIdentifier: String, to other: String) -> Bool {
        if TypeIdentifier.conforms(typeIdentifier, to: other) { return true }
        guard let type = undeclaredType(typeIdentifier), let parent = UTType(other) else { return false }
        return type.conforms(to: parent)
    }

    /// Returns the first representation whose type conforms to the given type, and whose options include the given
    /// ones; `nil` if there is none.
    package func representation(
        conformingTo typeIdentifier: String, fileOptions: NSItemProviderFileOptions = []
    ) -> Representation? {
        representations.first {
            $0.fileOptions.isSuperset(of: fileOptions)
                && conforms($0.typeIdentifier, to: typeIdentifier)
        }
    }

    /// Returns the representation of exactly the given type, or `nil` if there is none.
    package func representation(of typeIdentifier: String) -> Representation? {
        representations.first { TypeIdentifier.areEqual($0.typeIdentifier, typeIdentifier) }
    }
}

/// Comparison of type identifiers, which need not be declared.
package enum TypeIdentifier {
    /// Whether two identifiers are equal, regardless of ASCII case.
    package static func areEqual(_ one: String, _ other: String) -> Bool {
        one == other
            || (one.utf8.count == other.utf8.count
                && zip(one.utf8, other.utf8).allSatisfy { lowercase($0) == lowercase($1) })
    }

    /// Whether the first type is the second type, or conforms to it. An undeclared type conforms only to itself.
    package static func conforms(_ identifier: String, to other: String) -> Bool {
        if areEqual(identifier, other) { return true }
        guard let type = UTType(identifier), let parent = UTType(other) else { return false }
        return type.conforms(to: parent)
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
    }
}

/// The interface of an item provider for other modules of the package.
extension NSItemProvider {
    /// The representations in order of registration.
    package var representations: [Representation] { promise.representations }

    package func register(_ representation: Representation) {
        promise.register(representation)
    }
}

extension ItemPromise {
    /// Runs the load handler of a registered type once, and passes its result on without conversion.
    ///
    /// The parameters are those of ``SupplyTask``. If exactly this type is not registered, the call completes with
    /// `itemUnavailableError` before it returns, and there is no task.
    package func supply(
        _ typeIdentifier: String, for delivery: Delivery, report: @escaping @Sendable (Double) -> Void,
        completion: @escaping SupplyTask.Completion
    ) -> SupplyTask? {
        guard let representation = representation(of: typeIdentifier) else {
            let registered = representations.map(\.typeIdentifier)
            completion(.failure(ItemProviderError.noRepresentation(of: typeIdentifier, registered: registered)))
            return nil
        }
        return SupplyTask(representation, for: delivery, report: report, completion: completion)
    }
}

/// The maximum time for which serving promised items may delay the end of a process.
package enum Farewell {
    /// The time in seconds: the value of `PURVEY_EXIT_TIME_LIMIT`, or 3 if that is not set.
    package static let longest: Int = {
        guard let text = getenv("PURVEY_EXIT_TIME_LIMIT"), let seconds = Int(String(cString: text)) else { return 3 }
        return min(max(seconds, 0), 3_600)
    }()
}

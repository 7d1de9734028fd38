import Foundation
import ItemProvider

extension TransferRepresentation {
    /// Restricts the exported representations to the given visibility. A representation that is already more restricted
    /// keeps its visibility.
    public func visibility(_ visibility: TransferRepresentationVisibility) -> some TransferRepresentation<Item> {
        ModifiedRepresentation(base: self) { $0.visibility = $0.visibility.restricted(to: visibility) }
    }

    /// Exports a value only if it meets a condition. The condition is checked when the value is offered, and again when
    /// it is loaded.
    public func exportingCondition(
        _ condition: @escaping @Sendable (Item) -> Bool
    ) -> _ConditionalTransferRepresentation<Self> {
        _ConditionalTransferRepresentation(base: self, condition: condition)
    }

    /// Sets the name of the file that is created from a value. The extension of the content type is added, unless the
    /// name has an extension of this type.
    public func suggestedFileName(_ fileName: String) -> some TransferRepresentation<Item> {
        ModifiedRepresentation(base: self) { $0.fileName = .fixed(fileName) }
    }

    /// Sets the name of the file that is created from a value, depending on the value.
    public func suggestedFileName(
        _ fileName: @escaping @Sendable (Item) -> String?
    ) -> some TransferRepresentation<Item> {
        ModifiedRepresentation(base: self) { $0.fileName = .made { value in (value.value as? Item).flatMap(fileName) } }
    }
}

/// A representation that exports only the values that meet a condition.
public struct _ConditionalTransferRepresentation<Base>: TransferRepresentation where Base: TransferRepresentation {
    /// The exported type.
    public typealias Item = Base.Item
    /// `Never`: the representation is not composed of others.
    public typealias Body = Never

    fileprivate let base: Base
    fileprivate let condition: @Sendable (Base.Item) -> Bool
}

extension _ConditionalTransferRepresentation: ResolvableRepresentation {
    func resolve(_ path: inout ResolutionPath) -> Resolution {
        base.resolved(&path).modifyingExports { export in
            export.payload = export.payload.checking { value in
                guard condition(try value.as(Item.self)) else {
                    throw TransferError.conditionNotMet(type: "\(Item.self)")
                }
            }
            let earlier = export.condition
            export.condition = { value in
                guard let item = value.value as? Item, condition(item) else { return false }
                return earlier?(value) ?? true
            }
        }
    }
}

/// A representation with one property of its exports changed.
private struct ModifiedRepresentation<Base: TransferRepresentation>: ResolvableRepresentation {
    typealias Item = Base.Item
    typealias Body = Never

    let base: Base
    let change: @Sendable (inout ResolvedExport) -> Void

    func resolve(_ path: inout ResolutionPath) -> Resolution { base.resolved(&path).modifyingExports(change) }
}

extension Resolution {
    fileprivate func modifyingExports(_ change: (inout ResolvedExport) -> Void) -> Resolution {
        var result = self
        for index in result.exports.indices { change(&result.exports[index]) }
        return result
    }
}

extension ResolvedExport.Payload {
    /// Returns a payload that first checks its value.
    fileprivate func checking(_ check: @escaping @Sendable (TransferredValue) throws -> Void) -> Self {
        switch self {
        case .data(let export):
            .data { value in
                try check(value)
                return try await export(value)
            }
        case .file(let allowsOpenInPlace, let export):
            .file(allowsOpenInPlace: allowsOpenInPlace) { value in
                try check(value)
                return try await export(value)
            }
        }
    }
}

/// The processes to which a representation is visible.
public struct TransferRepresentationVisibility: Sendable, Equatable {
    let itemProviderVisibility: NSItemProviderRepresentationVisibility

    /// Every process of the user.
    public static let all = TransferRepresentationVisibility(itemProviderVisibility: .all)
    /// Processes of the same team.
    public static let team = TransferRepresentationVisibility(itemProviderVisibility: .team)
    /// Processes of the same team. This is the name of the visibility on macOS.
    public static let group = TransferRepresentationVisibility(itemProviderVisibility: .group)
    /// This process alone.
    public static let ownProcess = TransferRepresentationVisibility(itemProviderVisibility: .ownProcess)

    /// Whether all processes that `viewer` denotes can see a representation with this visibility.
    func includes(_ viewer: TransferRepresentationVisibility) -> Bool { closeness <= viewer.closeness }

    /// Returns the stricter of two visibilities.
    func restricted(to other: TransferRepresentationVisibility) -> TransferRepresentationVisibility {
        closeness >= other.closeness ? self : other
    }

    /// The order of the visibilities: a greater number denotes fewer processes. On Linux, `group` is the same as
    /// `team`.
    private var closeness: Int {
        switch itemProviderVisibility {
        case .all: 0
        case .team, .group: 1
        case .ownProcess: 2
        }
    }
}

import Foundation
import UniformTypeIdentifiers

/// Why a value could not be handed over.
enum TransferError: Error, Equatable {
    /// No representation exports the value as the asked type, or at all.
    case notExported(type: String, as: UTType?, cycles: [String])
    /// No representation imports what is there.
    case notImported(type: String, from: [String], cycles: [String])
    /// A closure of the program gave a value of another type.
    case unexpectedValue(String)
}

extension TransferError: LocalizedError, CustomStringConvertible {
    var description: String {
        switch self {
        case .notExported(let type, let contentType, let cycles):
            "\(type) is not exported\(contentType.map { " as \($0.identifier)" } ?? "")\(Self.hint(cycles))"
        case .notImported(let type, let offered, let cycles):
            "\(type) cannot be made from \(offered.isEmpty ? "nothing" : offered.joined(separator: ", "))"
                + Self.hint(cycles)
        case .unexpectedValue(let type): "a value of type \(type) arrived where another was expected"
        }
    }

    var errorDescription: String? { description }

    private static func hint(_ cycles: [String]) -> String {
        cycles.first.map { "; \($0) is a proxy of itself" } ?? ""
    }
}

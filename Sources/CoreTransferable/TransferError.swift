import Foundation
import UniformTypeIdentifiers

/// An error of exporting or importing a value.
enum TransferError: Error {
    /// No representation exports the value as the requested type. If no type was requested, no representation exports
    /// the value at all.
    case notExported(type: String, as: UTType?, fault: ResolutionFault?)
    /// No representation imports any of the offered types.
    case notImported(type: String, from: [String], fault: ResolutionFault?)
    /// The value does not meet the exporting condition of a representation.
    case conditionNotMet(type: String)
    /// All representations that import an offered type have failed.
    case importersFailed(type: String, [Failure])
    /// A closure of the program returned a value of another type.
    case unexpectedValue(String)

    /// The error of one of several representations.
    struct Failure {
        let contentType: UTType
        let error: any Error
    }

    /// Whether an error, or one of its underlying errors, reports that a value does not meet an exporting condition.
    /// The error may come from another process.
    static func isConditionNotMet(_ error: any Error) -> Bool {
        var next: NSError? = error as NSError
        while let error = next {
            if error.domain == errorDomain, error.code == Code.conditionNotMet.rawValue { return true }
            next = error.userInfo[NSUnderlyingErrorKey] as? NSError
        }
        return false
    }
}

extension TransferError: CustomNSError {
    private enum Code: Int {
        case notExported
        case notImported
        case conditionNotMet
        case importersFailed
        case unexpectedValue
    }

    static var errorDomain: String { "CoreTransferable.TransferError" }

    var errorCode: Int {
        let code: Code =
            switch self {
            case .notExported: .notExported
            case .notImported: .notImported
            case .conditionNotMet: .conditionNotMet
            case .importersFailed: .importersFailed
            case .unexpectedValue: .unexpectedValue
            }
        return code.rawValue
    }

    var errorUserInfo: [String: Any] {
        // Foundation on Linux takes the description of a custom error only from here, not from `LocalizedError`.
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: description]
        if case .importersFailed(_, let failures) = self, let first = failures.first {
            userInfo[NSUnderlyingErrorKey] = first.error as NSError
        }
        return userInfo
    }
}

extension TransferError: LocalizedError, CustomStringConvertible {
    var description: String {
        switch self {
        case .notExported(let type, let contentType, let fault):
            "\(type) is not exported\(contentType.map { " as \($0.identifier)" } ?? "")\(Self.hint(fault))"
        case .notImported(let type, let offered, let fault):
            "\(type) cannot be made from \(offered.isEmpty ? "nothing" : offered.joined(separator: ", "))"
                + Self.hint(fault)
        case .conditionNotMet(let type): "the exporting condition of \(type) does not hold for this value"
        case .importersFailed(let type, let failures):
            "\(type) cannot be made: "
                + failures.map { "as \($0.contentType.identifier): \(Self.sentence($0.error))" }.joined(separator: "; ")
        case .unexpectedValue(let type): "a value of type \(type) arrived where another was expected"
        }
    }

    var errorDescription: String? { description }

    private static func hint(_ fault: ResolutionFault?) -> String { fault.map { "; \($0)" } ?? "" }

    /// Returns an error's sentence for the user. For Swift errors, Foundation says only that something failed.
    private static func sentence(_ error: any Error) -> String {
        let speaks = type(of: error) is NSError.Type || error is CocoaError || error is any LocalizedError
        return speaks ? error.localizedDescription : "\(error)"
    }
}

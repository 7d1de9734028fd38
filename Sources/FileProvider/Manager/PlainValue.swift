import Foundation
import UniformTypeIdentifiers

/// Values that a property list can have.
enum PlainValue {
    /// Converts a value; returns `nil` if a property list cannot contain it. Writing an unsuitable value to a property
    /// list would end the process.
    static func make(_ value: Any) -> Any? {
        switch value {
        case let date as Date: date.timeIntervalSinceReferenceDate.isFinite ? date : nil
        case let size as Int64: Int(exactly: size)
        case let type as UTType: type.identifier
        case is String, is Data, is Int, is Double, is Bool, is NSNumber: value
        default: nil
        }
    }
}

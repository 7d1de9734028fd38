import Foundation
import UniformTypeIdentifiers

/// The conversion of values to types that a property list can contain.
enum PlainValue {
    /// Converts a value. Returns `nil` if a property list cannot contain the value, because an attempt to write it
    /// would end the process.
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

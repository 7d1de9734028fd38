import Foundation
import UniformTypeIdentifiers

/// Values as a property list can have them.
enum PlainValue {
    /// `nil` for a value that has no such form. Writing others would be the end of the process.
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

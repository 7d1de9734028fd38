/// How much a message matters.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
    /// As Apple's system numbers it.
    public let rawValue: UInt8
    /// A kind of message by its number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// A kind of message by its number.
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }

    /// What one would usually want to know.
    public static let `default` = OSLogType(0x00)
    /// What helps to understand, but is not kept.
    public static let info = OSLogType(0x01)
    /// What only its author wants to know.
    public static let debug = OSLogType(0x02)
    /// Something went wrong.
    public static let error = OSLogType(0x10)
    /// Something went wrong that should not be possible.
    public static let fault = OSLogType(0x11)

    var name: String {
        switch self {
        case .info: "info"
        case .debug: "debug"
        case .error: "error"
        case .fault: "fault"
        default: "default"
        }
    }

    /// From what matters least to what matters most.
    var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .error: 3
        case .fault: 4
        default: 2
        }
    }
}

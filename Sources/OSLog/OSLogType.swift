/// The severity of a message.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
    /// The type's number, the same as on Apple's platforms.
    public let rawValue: UInt8
    /// Creates a type from its number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Creates a type from its number.
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }

    /// A message that usually is of interest.
    public static let `default` = OSLogType(0x00)
    /// Additional information, which is not stored persistently.
    public static let info = OSLogType(0x01)
    /// Information for debugging.
    public static let debug = OSLogType(0x02)
    /// An error.
    public static let error = OSLogType(0x10)
    /// An error that indicates a bug.
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

    /// The rank of the type in the order of severity; the least severe type has the lowest rank.
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

import Synchronization

/// An identifier that distinguishes intervals with the same name.
///
/// Source: `os/signpost.h`.
public struct OSSignpostID: Hashable, Sendable, Comparable {
    /// The identifier's number.
    public let rawValue: UInt64
    /// Creates an identifier from its number.
    public init(_ value: UInt64) { rawValue = value }
    /// Creates a new identifier. The stream is ignored.
    public init(log: OSLog) { self = Self.make() }
    /// Creates an identifier from the address of an object.
    public init(log: OSLog, object: AnyObject) {
        rawValue = UInt64(UInt(bitPattern: ObjectIdentifier(object)))
    }

    /// The identifier of an interval that does not overlap other intervals with the same name.
    public static let exclusive = OSSignpostID(0xEEEE_B0B5_B2B2_EEEE)
    /// The identifier of no interval.
    public static let null = OSSignpostID(0)
    /// An identifier that no interval can have.
    public static let invalid = OSSignpostID(.max)

    /// Whether the first number is smaller.
    public static func < (left: OSSignpostID, right: OSSignpostID) -> Bool { left.rawValue < right.rawValue }

    private static let last = Atomic<UInt64>(0)
    static func make() -> OSSignpostID { OSSignpostID(last.add(1, ordering: .relaxed).newValue) }
}

/// The kind of a signpost.
public enum OSSignpostType: UInt8, Sendable {
    /// A point in time.
    case event = 0
    /// The beginning of an interval.
    case begin = 1
    /// The end of an interval.
    case end = 2

    fileprivate var name: String {
        switch self {
        case .event: "event"
        case .begin: "begin"
        case .end: "end"
        }
    }
}

/// The message of a signpost.
public typealias SignpostMetadata = OSLogMessage

/// A running interval.
public final class OSSignpostIntervalState: Sendable {
    let id: OSSignpostID
    fileprivate let start = ContinuousClock.now

    fileprivate init(_ id: OSSignpostID) { self.id = id }

    /// Returns the state of an interval whose beginning another part of the program marked. The duration of the
    /// interval is measured from this call.
    public static func beginState(id: OSSignpostID) -> OSSignpostIntervalState { OSSignpostIntervalState(id) }
}

/// A writer of signposts, which mark points and intervals in time for profiling tools. On Linux, signposts are messages
/// of the type `debug`. The message at the end of an interval includes the interval's duration.
public struct OSSignposter: Sendable {
    private let log: OSLog

    /// Creates a writer for the default stream.
    public init() { log = .default }
    /// Creates a writer for the stream of a subsystem and a category.
    public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }
    /// Creates a writer for the stream of a subsystem and one of the categories that profiling tools know.
    public init(subsystem: String, category: OSLog.Category) { log = OSLog(subsystem: subsystem, category: category) }
    /// Creates a writer for a stream.
    public init(logHandle: OSLog) { log = logHandle }
    /// Creates a writer for a logger's stream.
    public init(logger: Logger) { log = logger.log }

    /// A writer that discards all signposts.
    public static let disabled = OSSignposter(logHandle: .disabled)
    /// Whether signposts are written.
    public var isEnabled: Bool { log.isEnabled(type: .debug) }

    /// Returns a new identifier for an interval.
    public func makeSignpostID() -> OSSignpostID { .make() }
    /// Returns an identifier from the address of an object, for intervals that belong to the object.
    public func makeSignpostID(from object: AnyObject) -> OSSignpostID { OSSignpostID(log: log, object: object) }

    /// Marks the beginning of an interval.
    public func beginInterval(_ name: StaticString, id: OSSignpostID = .exclusive) -> OSSignpostIntervalState {
        beginInterval(name, id: id, "")
    }

    /// Marks the beginning of an interval.
    public func beginInterval(
        _ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata
    ) -> OSSignpostIntervalState {
        log.mark(.begin, name, id, message.text)
        return OSSignpostIntervalState(id)
    }

    /// Marks the beginning of an interval that is an animation.
    public func beginAnimationInterval(
        _ name: StaticString, id: OSSignpostID = .exclusive
    ) -> OSSignpostIntervalState { beginInterval(name, id: id) }

    /// Marks the end of an interval.
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState) { endInterval(name, state, "") }

    /// Marks the end of an interval.
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState, _ message: SignpostMetadata) {
        log.mark(
            .end, name, state.id,
            "\(ContinuousClock.now - state.start)" + (message.text.isEmpty ? "" : ", \(message.text)"))
    }

    /// Marks a point in time.
    public func emitEvent(_ name: StaticString, id: OSSignpostID = .exclusive) { log.mark(.event, name, id, "") }

    /// Marks a point in time.
    public func emitEvent(_ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata) {
        log.mark(.event, name, id, message.text)
    }

    /// Marks the interval during which `task` runs.
    public func withIntervalSignpost<T>(
        _ name: StaticString, id: OSSignpostID = .exclusive, around task: () throws -> T
    ) rethrows -> T { try withIntervalSignpost(name, id: id, "", around: task) }

    /// Marks the interval during which `task` runs.
    public func withIntervalSignpost<T>(
        _ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata, around task: () throws -> T
    ) rethrows -> T {
        let state = beginInterval(name, id: id, message)
        defer { endInterval(name, state) }
        return try task()
    }
}

/// Marks a point in time, or the beginning or end of an interval.
public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer? = nil, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive
) {
    log.mark(type, name, signpostID, "")
}

/// Marks a point in time, or the beginning or end of an interval, with a message in `printf` format.
public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer? = nil, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive, _ format: StaticString, _ arguments: any CVarArg...
) {
    guard log.isEnabled(type: .debug) else { return }
    log.mark(type, name, signpostID, OSLog.text(format, arguments))
}

extension OSLog {
    fileprivate func mark(_ type: OSSignpostType, _ name: StaticString, _ id: OSSignpostID, _ message: String) {
        guard isEnabled(type: .debug) else { return }
        let number = id == .exclusive ? "" : " \(id.rawValue)"
        write(.debug, "\(name)\(number) \(type.name)" + (message.isEmpty ? "" : ": \(message)"))
    }
}

import Foundation
import Glibc

/// A log: a stream of messages that one subsystem and category identify.
///
/// Messages are written to standard error, one line each: the date and time, the program, the stream
/// (`subsystem:category`), the type and the message. The environment variable `PURVEY_LOG` sets the lowest level that
/// is written (`debug`, `info`, `default`, `error`, `fault`); the default is `error`.
///
/// Source: `os/log.h`.
public final class OSLog: Sendable {
    let subsystem: String
    let category: String
    private let isEnabled: Bool

    /// Creates a stream for a subsystem and a category.
    public convenience init(subsystem: String, category: String) {
        self.init(subsystem: subsystem, category: category, isEnabled: true)
    }

    /// Creates a stream for a subsystem and one of the categories that profiling tools know.
    public convenience init(subsystem: String, category: Category) {
        self.init(subsystem: subsystem, category: category.rawValue)
    }

    /// A category with a meaning for Apple's profiling tools. On Linux, messages of these categories are written like
    /// all others.
    public struct Category: Hashable, Sendable {
        let rawValue: String

        /// The category of important points in a program's execution.
        public static let pointsOfInterest = Category(rawValue: "PointsOfInterest")
        /// The category of messages that are written only if a tool requests them.
        public static let dynamicTracing = Category(rawValue: "DynamicTracing")
        /// The category of messages that are written with a backtrace, and only if a tool requests them.
        public static let dynamicStackTracing = Category(rawValue: "DynamicStackTracing")
    }

    private init(subsystem: String, category: String, isEnabled: Bool) {
        self.subsystem = subsystem
        self.category = category
        self.isEnabled = isEnabled
    }

    /// The default stream, without a subsystem and a category.
    public static let `default` = OSLog(subsystem: "", category: "")
    /// A stream that discards its messages.
    public static let disabled = OSLog(subsystem: "", category: "", isEnabled: false)

    /// Returns whether messages of the given type are written.
    public func isEnabled(type: OSLogType) -> Bool { isEnabled && type.rank >= Self.lowest }

    private static let lowest: Int = {
        let name = ProcessInfo.processInfo.environment["PURVEY_LOG"]
        let types: [OSLogType] = [.debug, .info, .default, .error, .fault]
        return (types.first { $0.name == name } ?? .error).rank
    }()

    func write(_ type: OSLogType, _ message: String) {
        guard isEnabled(type: type) else { return }
        let stream = [subsystem, category].filter { !$0.isEmpty }.joined(separator: ":")
        let time = Date().formatted(.iso8601)
        let line = "\(time) \(ProcessInfo.processInfo.processName)[\(getpid())] \(stream) \(type.name): \(message)\n"
        // A single write, so that lines of several threads do not mix. Errors are ignored: a log without a reader may
        // be lost.
        let bytes = Array(line.utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}

/// A writer of messages to one stream.
public struct Logger: Sendable {
    let log: OSLog

    /// Creates a logger for the default stream.
    public init() { log = .default }
    /// Creates a logger for the stream of a subsystem and a category.
    public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }
    /// Creates a logger for a stream.
    public init(_ logObj: OSLog) { log = logObj }

    /// Writes a message of the given type.
    public func log(level: OSLogType, _ message: OSLogMessage) { log.write(level, message.text) }
    /// Writes a message of the default type.
    public func log(_ message: OSLogMessage) { log.write(.default, message.text) }
    /// Writes a message of the default type.
    public func notice(_ message: OSLogMessage) { log.write(.default, message.text) }
    /// Writes a message for debugging.
    public func trace(_ message: OSLogMessage) { log.write(.debug, message.text) }
    /// Writes a message for debugging.
    public func debug(_ message: OSLogMessage) { log.write(.debug, message.text) }
    /// Writes a message with additional information.
    public func info(_ message: OSLogMessage) { log.write(.info, message.text) }
    /// Writes a warning, of the type `error`.
    public func warning(_ message: OSLogMessage) { log.write(.error, message.text) }
    /// Writes an error.
    public func error(_ message: OSLogMessage) { log.write(.error, message.text) }
    /// Writes an error that indicates a bug, of the type `fault`.
    public func critical(_ message: OSLogMessage) { log.write(.fault, message.text) }
    /// Writes an error that indicates a bug.
    public func fault(_ message: OSLogMessage) { log.write(.fault, message.text) }
}

/// Writes a message of the given type to a stream.
@_disfavoredOverload
public func os_log(_ type: OSLogType, log: OSLog = .default, _ message: OSLogMessage) { log.write(type, message.text) }

/// Writes a message of the default type to the default stream.
@_disfavoredOverload
public func os_log(_ message: OSLogMessage) { OSLog.default.write(.default, message.text) }

/// Writes a message of the given type. The format is that of `printf`, extended by `%{public}@` and `%{private}@`.
public func os_log(
    _ type: OSLogType, dso: UnsafeRawPointer? = nil, log: OSLog = .default, _ message: StaticString,
    _ args: any CVarArg...
) {
    log.write(type, message, args)
}

/// Writes a message. The format is that of `printf`, extended by `%{public}@` and `%{private}@`.
public func os_log(
    _ message: StaticString, dso: UnsafeRawPointer? = nil, log: OSLog = .default, type: OSLogType = .default,
    _ args: any CVarArg...
) {
    log.write(type, message, args)
}

extension OSLog {
    /// Writes a message in `printf` format.
    func write(_ type: OSLogType, _ message: StaticString, _ arguments: [any CVarArg]) {
        guard isEnabled(type: type) else { return }
        write(type, Self.text(message, arguments))
    }

    /// Returns the text of a message in `printf` format.
    package static func text(_ message: StaticString, _ arguments: [any CVarArg]) -> String {
        let format = OSLogPrintfFormat(
            message.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }, arguments)
        return String(format: format.text, arguments: format.arguments)
    }
}

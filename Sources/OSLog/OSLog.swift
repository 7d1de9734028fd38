import Foundation
import Glibc

/// A stream of messages.
///
/// Messages go to standard error, a line each: the time, the program, the stream and the message. Which ones, the environment
/// variable `PURVEY_LOG` says (`debug`, `info`, `default`, `error`, `fault`); without it, errors and faults.
///
/// Source: `os/log.h`.
public final class OSLog: Sendable {
    let subsystem: String
    let category: String
    private let isEnabled: Bool

    /// A stream of a part of a program.
    public convenience init(subsystem: String, category: String) {
        self.init(subsystem: subsystem, category: category, isEnabled: true)
    }

    /// A stream for tools that measure.
    public convenience init(subsystem: String, category: Category) {
        self.init(subsystem: subsystem, category: category.rawValue)
    }

    /// A part of a program by its meaning to tools that measure.
    public struct Category: Hashable, Sendable {
        let rawValue: String

        /// For what matters to a look at the program from outside.
        public static let pointsOfInterest = Category(rawValue: "PointsOfInterest")
        /// For what is written only while a tool asks for it.
        public static let dynamicTracing = Category(rawValue: "DynamicTracing")
        /// The same, with the stack.
        public static let dynamicStackTracing = Category(rawValue: "DynamicStackTracing")
    }

    private init(subsystem: String, category: String, isEnabled: Bool) {
        self.subsystem = subsystem
        self.category = category
        self.isEnabled = isEnabled
    }

    /// The stream of whatever has none of its own.
    public static let `default` = OSLog(subsystem: "", category: "")
    /// A stream that goes nowhere.
    public static let disabled = OSLog(subsystem: "", category: "", isEnabled: false)

    /// Whether messages of a kind are written at this moment.
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
        // One call, so that lines of several threads do not mix; a log that nobody reads any more is not missed.
        let bytes = Array(line.utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}

/// Writes messages to one stream.
public struct Logger: Sendable {
    let log: OSLog

    /// Writes to the stream of whatever has none of its own.
    public init() { log = .default }
    /// Writes to the stream of a part of a program.
    public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }
    /// Writes to a stream.
    public init(_ logObj: OSLog) { log = logObj }

    /// Writes a message of this kind.
    public func log(level: OSLogType, _ message: OSLogMessage) { log.write(level, message.text) }
    /// Writes what one would usually want to know.
    public func log(_ message: OSLogMessage) { log.write(.default, message.text) }
    /// Writes what one would usually want to know.
    public func notice(_ message: OSLogMessage) { log.write(.default, message.text) }
    /// Writes what only its author wants to know.
    public func trace(_ message: OSLogMessage) { log.write(.debug, message.text) }
    /// Writes what only its author wants to know.
    public func debug(_ message: OSLogMessage) { log.write(.debug, message.text) }
    /// Writes what helps to understand.
    public func info(_ message: OSLogMessage) { log.write(.info, message.text) }
    /// Writes that something may go wrong.
    public func warning(_ message: OSLogMessage) { log.write(.error, message.text) }
    /// Writes that something went wrong.
    public func error(_ message: OSLogMessage) { log.write(.error, message.text) }
    /// Writes that something went wrong that should not be possible.
    public func critical(_ message: OSLogMessage) { log.write(.fault, message.text) }
    /// Writes that something went wrong that should not be possible.
    public func fault(_ message: OSLogMessage) { log.write(.fault, message.text) }
}

/// Writes a message of a kind to a stream.
@_disfavoredOverload
public func os_log(_ type: OSLogType, log: OSLog = .default, _ message: OSLogMessage) { log.write(type, message.text) }

/// Writes what one would usually want to know.
@_disfavoredOverload
public func os_log(_ message: OSLogMessage) { OSLog.default.write(.default, message.text) }

/// Writes a message of a kind in the manner of `printf`, with `%{public}@` and `%{private}@` besides.
public func os_log(
    _ type: OSLogType, dso: UnsafeRawPointer? = nil, log: OSLog = .default, _ message: StaticString,
    _ args: any CVarArg...
) {
    log.write(type, message, args)
}

/// Writes a message in the manner of `printf`, with `%{public}@` and `%{private}@` besides.
public func os_log(
    _ message: StaticString, dso: UnsafeRawPointer? = nil, log: OSLog = .default, type: OSLogType = .default,
    _ args: any CVarArg...
) {
    log.write(type, message, args)
}

extension OSLog {
    /// Writes a message in the manner of `printf`.
    func write(_ type: OSLogType, _ message: StaticString, _ arguments: [any CVarArg]) {
        guard isEnabled(type: type) else { return }
        write(type, Self.text(message, arguments))
    }

    /// Returns the text of a message in the manner of `printf`.
    ///
    /// Modifiers in braces, such as `{public}`, say how a value is shown elsewhere: here all are.
    package static func text(_ message: StaticString, _ arguments: [any CVarArg]) -> String {
        let format = message.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
            .replacingOccurrences(of: #"%\{[^}]*\}"#, with: "%", options: .regularExpression)
        return String(format: format, arguments: arguments)
    }
}

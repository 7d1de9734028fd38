import CLinux

/// The effect of a signal on this process.
package enum SignalDisposition {
    /// Whether a signal is ignored, as SIGHUP is in a process that nohup(1) started.
    package static func isIgnored(_ signal: CInt) -> Bool { clinux_is_ignored(signal) != 0 }
}

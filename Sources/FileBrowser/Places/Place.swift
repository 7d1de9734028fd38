import DomainMessages
import FileProvider

/// The row of a domain in the sidebar.
package struct DomainPlace: Sendable, Equatable {
    package let activity: DomainActivity

    package var name: String { activity.domain.name }
    package var location: Location { .folder(domain: name, path: "") }

    /// The state of the domain in a few words.
    package var summary: String {
        switch activity.domain.state {
        case .failed: return "Does not run"
        case .changing: return "Starting…"
        case .running: break
        }
        if activity.needsSignIn { return "Sign-in needed" }
        if activity.disconnection != nil { return "Not reachable" }
        if activity.domain.mount == nil { return "Not mounted" }
        if activity.isPaused { return "Paused" }
        let moving = activity.uploadsInFlight + activity.downloadsInFlight
        let waiting = activity.uploadsWaiting + activity.downloadsWaiting
        if moving + waiting > 0 { return moving + waiting == 1 ? "1 transfer" : "\(moving + waiting) transfers" }
        return "\(ByteCount.text(activity.cacheBytes)) of \(ByteCount.text(activity.domain.cacheLimit))"
    }

    /// The part of the space for downloaded contents that is used, from 0 to 1; `nil` if the domain does not run.
    package var spaceFraction: Double? {
        guard activity.domain.state == .running, activity.domain.cacheLimit > 0 else { return nil }
        return min(max(Double(activity.cacheBytes) / Double(activity.domain.cacheLimit), 0), 1)
    }

    /// The failure that the user should know of, if any.
    package var failure: BrowserError? {
        if activity.domain.state == .failed {
            return BrowserError(
                "\(name) does not run: \(activity.domain.fault ?? "the reason is not known")",
                remedy: .retry(domain: name))
        }
        if activity.needsSignIn {
            return BrowserError("\(name) needs you to sign in. Changes wait until then", remedy: .signIn(domain: name))
        }
        if let fault = activity.domain.fault ?? activity.faults.first {
            return BrowserError("\(name): \(fault)", remedy: .retry(domain: name))
        }
        if let reason = activity.disconnection {
            return BrowserError(
                "\(name) cannot be reached: \(reason)",
                remedy: .retry(domain: name))
        }
        return nil
    }
}

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
        return activity.quota?.words ?? cacheWords
    }

    /// The state of the domain in more words: its quota at the service, and its space on this computer.
    package var details: String {
        let quota = activity.quota?.words.map { "\($0) at the service" }
        let words = [summary == activity.quota?.words ? nil : summary, quota]
        let cache = activity.domain.state == .running && summary != cacheWords ? "\(cacheWords) on this computer" : nil
        return (words + [cache]).compactMap(\.self).joined(separator: ", ")
    }

    private var cacheWords: String {
        "\(ByteCount.text(activity.cacheBytes)) of \(ByteCount.text(activity.domain.cacheLimit))"
    }

    /// A limited amount of storage: the quota, or the space for downloaded contents.
    package struct Space: Sendable, Equatable {
        /// The fraction that is used, from 0 to 1.
        package let fraction: Double
        /// Whether this is the quota at the service. If `false`, it is the space for downloaded contents on this
        /// computer.
        package let isQuota: Bool

        /// A sentence for assistive technologies.
        package var words: String {
            "Space \(isQuota ? "at the service" : "on this computer"): \(Int(fraction * 100)) % used"
        }
    }

    /// The quota at the service if it is known, otherwise the space for downloaded contents; `nil` if the domain is not
    /// running, or if this amount of storage has no limit.
    package var space: Space? {
        guard activity.domain.state == .running else { return nil }
        if let quota = activity.quota { return quota.fraction.map { Space(fraction: $0, isQuota: true) } }
        guard activity.domain.cacheLimit > 0 else { return nil }
        let fraction = Double(activity.cacheBytes) / Double(activity.domain.cacheLimit)
        return Space(fraction: min(max(fraction, 0), 1), isQuota: false)
    }

    /// The failure of the domain to show to the user, if any.
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

import Foundation
import Glibc
import LinuxSystem

/// Links that are opened in the user's browser.
enum BrowserLink {
    /// Opens a link of a provider if there is a display. Only links to web pages are opened, because a provider is not
    /// trusted. Failures are ignored, because the link is printed as well.
    static func open(_ link: String) {
        let environment = ProcessInfo.processInfo.environment
        let hasDisplay = ["WAYLAND_DISPLAY", "DISPLAY"].contains { environment[$0]?.isEmpty == false }
        guard hasDisplay, isOfWeb(link), let program = program(environment["PATH"] ?? "") else { return }
        guard let null = try? FileDescriptor.open("/dev/null", .readWrite),
            let child = try? ChildProgram.start(
                program, arguments: [link], descriptors: [null, null, null], workingFolder: "/", newSession: true)
        else { return }
        HandlerThreads.shared.run { _ = try? child.wait() }
    }

    private static func isOfWeb(_ link: String) -> Bool {
        guard let scheme = URLComponents(string: link)?.scheme?.lowercased() else { return false }
        return scheme == "https" || scheme == "http"
    }

    private static func program(_ path: String) -> String? {
        path.split(separator: ":").map { $0 + "/xdg-open" }.first { $0.hasPrefix("/") && access($0, X_OK) == 0 }
    }
}

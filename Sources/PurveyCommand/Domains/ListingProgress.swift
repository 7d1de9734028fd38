import Dispatch
import DomainMessages
import FileProvider
import Glibc
import LinuxSystem

/// Shows the progress of the first listing of a new domain on the terminal.
enum ListingProgress {
    /// The time after which the progress is shown.
    private static let patience: Duration = .milliseconds(500)

    /// Lists the root of a domain, and shows the number of items if the listing takes longer than ``patience``. Does
    /// nothing if standard error is not a terminal. The listing is not needed then, because a directory is also listed
    /// when a program opens it.
    static func show(of name: String) async {
        guard isatty(STDERR_FILENO) == 1 else { return }
        let start = ContinuousClock.now
        var position: Int64?
        var count = 0
        var isShown = false
        repeat {
            let place = ItemPlace(text: name + ":", path: "")
            // A listing that fails is reported by the first command that needs it.
            guard let part = try? await DomainClient.call(ListFolderCall(place: place, position: position)) else {
                break
            }
            count += part.items.count
            position = part.next
            if isShown || ContinuousClock.now - start >= patience {
                write("\r\(count) items\u{1B}[K")
                isShown = true
            }
        } while position != nil
        if isShown { write("\r\u{1B}[K") }
    }

    private static func write(_ text: String) {
        let bytes = Array(text.utf8)
        // Errors are ignored, because a closed terminal cannot show the progress.
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}

import CAdwaita
import DomainMessages
import FileBrowser
import FileProvider
import FileProviderGTK

/// The transfers of the domains, and the work that was begun in the window.
@MainActor final class TransfersView {
    let widget: Widget
    private let list: Widget
    private let browser: Browser

    init(_ browser: Browser) {
        self.browser = browser
        list = gtk_list_box_new()
        gtk_list_box_set_selection_mode(list.opaque, GTK_SELECTION_NONE)
        list.addClass("boxed-list")
        list.setAccessible(label: "Transfers")
        gtk_widget_set_valign(list, GTK_ALIGN_START)
        let clamp: Widget = adw_clamp_new()
        adw_clamp_set_child(clamp.opaque, list)
        clamp.setMargins(18)
        widget = Make.scrolled(clamp)
    }

    /// Whether there is anything to show.
    var isEmpty: Bool { browser.jobs.isEmpty && browser.domains.allSatisfy { Self.isQuiet($0.activity) } }

    private static func isQuiet(_ activity: DomainActivity) -> Bool {
        activity.transfers.isEmpty && activity.uploadsWaiting + activity.uploadsInFlight == 0
            && activity.downloadsWaiting + activity.downloadsInFlight == 0 && activity.faults.isEmpty
    }

    func refresh() {
        list.removeChildren { gtk_list_box_remove(list.opaque, $0) }
        for job in browser.jobs { add(job) }
        for place in browser.domains where !Self.isQuiet(place.activity) { add(place) }
    }

    private func add(_ job: Job) {
        let isRunning = job.state == .running
        let icon =
            switch job.state {
            case .running: "folder-download-symbolic"
            case .done: "emblem-ok-symbolic"
            case .cancelled: "process-stop-symbolic"
            case .failed: "dialog-warning-symbolic"
            }
        var button: Widget?
        if isRunning {
            let cancel = Make.button(icon: "process-stop-symbolic", tip: "Cancel: \(job.title)")
            cancel.addClass("flat")
            onSignal("clicked", of: cancel) { job.cancel() }
            button = cancel
        }
        add(icon: icon, job.title, job.words, fraction: isRunning ? job.fraction ?? 0 : nil, button)
    }

    private func add(_ place: DomainPlace) {
        let activity = place.activity
        for transfer in activity.transfers {
            let verb = transfer.isUpload ? "Uploading" : "Downloading"
            add(
                icon: transfer.isUpload ? "network-transmit-symbolic" : "folder-download-symbolic",
                "\(verb) “\(transfer.name)”", Self.words(transfer, place.name),
                fraction: transfer.total > 0 ? Double(transfer.percent) / 100 : nil, nil)
        }
        // Not every provider reports the progress of uploads.
        let unlisted = activity.uploadsInFlight - activity.transfers.count { $0.isUpload }
        if unlisted > 0 {
            add(
                icon: "network-transmit-symbolic", unlisted == 1 ? "Sending 1 change" : "Sending \(unlisted) changes",
                place.name, fraction: nil, nil)
        }
        let waiting = activity.uploadsWaiting + activity.downloadsWaiting
        if waiting > 0 {
            let reason =
                activity.needsSignIn
                ? "until you sign in"
                : activity.disconnection.map { "because \($0)" }
                    ?? (activity.faults.isEmpty ? "until others have ended" : "until the failure is resolved")
            add(
                icon: "emoji-recent-symbolic", waiting == 1 ? "1 transfer waits" : "\(waiting) transfers wait",
                "\(place.name), \(reason)", fraction: nil, retryButton(place.name))
        }
        for fault in activity.faults {
            add(
                icon: "dialog-warning-symbolic", place.name, BrowserError.sentence(fault), fraction: nil,
                retryButton(place.name))
        }
    }

    private func retryButton(_ domain: String) -> Widget {
        let button = Make.button("Try Again") { [browser] in browser.apply(.retry(domain: domain)) }
        button.addClass("flat")
        return button
    }

    /// Returns words such as “Papers, 1.2 MiB of 4 MiB, 300 KiB a second, 9 s left”.
    private static func words(_ transfer: TransferActivity, _ domain: String) -> String {
        var words = [domain]
        if transfer.total > 0 {
            words.append("\(ByteCount.text(transfer.done)) of \(ByteCount.text(transfer.total))")
        }
        let now = Double(g_get_real_time()) / 1_000_000
        if let begun = transfer.begun, now - begun >= 1, transfer.done > 0, transfer.done < transfer.total {
            let rate = Double(transfer.done) / (now - begun)
            words.append("\(ByteCount.text(Int64(rate))) a second")
            words.append("\(Int(min((Double(transfer.total - transfer.done) / rate).rounded(.up), 1e9))) s left")
        }
        if let moved = transfer.moved, now - moved >= 5 { words.append("nothing for \(Int(min(now - moved, 1e9))) s") }
        return words.joined(separator: ", ")
    }

    private func add(icon: String, _ title: String, _ subtitle: String, fraction: Double?, _ button: Widget?) {
        let texts = Make.box(
            GTK_ORIENTATION_VERTICAL, spacing: 4, Make.label(title),
            Make.label(subtitle, "caption", "dim-label", wraps: true))
        gtk_widget_set_hexpand(texts, 1)
        if let fraction {
            let bar: Widget = gtk_progress_bar_new()
            gtk_progress_bar_set_fraction(bar.opaque, fraction)
            bar.setAccessible(label: "Progress of \(title)")
            texts.append(bar)
        }
        let box = Make.box(GTK_ORIENTATION_HORIZONTAL, spacing: 12, Make.icon(icon), texts)
        if let button {
            gtk_widget_set_valign(button, GTK_ALIGN_CENTER)
            box.append(button)
        }
        box.setMargins(12)
        let row: Widget = gtk_list_box_row_new()
        gtk_list_box_row_set_child(row.object(as: GtkListBoxRow.self), box)
        gtk_list_box_row_set_activatable(row.object(as: GtkListBoxRow.self), 0)
        gtk_list_box_append(list.opaque, row)
    }
}

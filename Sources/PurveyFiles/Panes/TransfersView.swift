import CAdwaita
import DomainMessages
import FileBrowser
import FileProvider
import FileProviderGTK

/// The transfers of the domains, and the jobs that the user began in the window.
@MainActor final class TransfersView {
    let widget: Widget
    private let list: Widget
    private let browser: Browser
    /// The rows in the list, with their subjects.
    private var rows: [(key: TransferRow.Key, row: TransferRow)] = []

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

    /// Whether the list has no rows.
    var isEmpty: Bool { rows.isEmpty }

    private static func isQuiet(_ activity: DomainActivity) -> Bool {
        activity.transfers.isEmpty && activity.uploadsWaiting + activity.uploadsInFlight == 0
            && activity.downloadsWaiting + activity.downloadsInFlight == 0 && activity.faults.isEmpty
            && !activity.isPaused && !activity.needsSignIn
    }

    /// Shows the present transfers.
    func refresh() {
        show(browser.jobs.map(content) + browser.domains.filter { !Self.isQuiet($0.activity) }.flatMap(contents))
    }

    /// Removes all rows, because the list is not shown. Assistive technologies would read the rows of a hidden list.
    func clear() { show([]) }

    /// Shows the given rows. A row whose subject has not changed keeps its widget, so that its button does not lose the
    /// focus or a click.
    private func show(_ contents: [TransferRow.Content]) {
        var former = Dictionary(grouping: rows, by: \.key).mapValues { $0.map(\.row)[...] }
        rows = contents.map { content in
            let row = former[content.key]?.popFirst() ?? TransferRow()
            row.show(content)
            return (content.key, row)
        }
        for row in former.values.joined() { gtk_list_box_remove(list.opaque, row.widget) }
        for (index, (_, row)) in rows.enumerated() { place(row.widget, at: CInt(index)) }
    }

    /// Moves or inserts a row so that it has the given index.
    private func place(_ row: Widget, at index: CInt) {
        let isNew = gtk_widget_get_parent(row) == nil
        guard isNew || gtk_list_box_row_get_index(row.object(as: GtkListBoxRow.self)) != index else { return }
        // The list box would free a row that it alone retains.
        g_object_ref(row.gtkAddress)
        if !isNew { gtk_list_box_remove(list.opaque, row) }
        gtk_list_box_insert(list.opaque, row, index)
        g_object_unref(row.gtkAddress)
    }

    private func content(_ job: Job) -> TransferRow.Content {
        let isRunning = job.state == .running
        let icon =
            switch job.state {
            case .running: "folder-download-symbolic"
            case .done: "emblem-ok-symbolic"
            case .cancelled: "process-stop-symbolic"
            case .failed: "dialog-warning-symbolic"
            }
        var content = TransferRow.Content(
            key: .job(ObjectIdentifier(job), isRunning: isRunning), icon: icon, title: job.title, subtitle: job.words)
        if isRunning {
            content.fraction = job.fraction ?? 0
            content.button = .init(label: "Cancel", name: "Cancel: \(job.title)") { job.cancel() }
        }
        return content
    }

    private func contents(_ place: DomainPlace) -> [TransferRow.Content] {
        let activity = place.activity
        var contents = [pausing(place)]
        let rows = activity.transfers.map { row($0, place) }
        contents += zip(rows, activity.transfers).filter { $1.state == .running }.map(\.0)
        // Not every provider reports the progress of uploads. Uploads without reported progress are only counted.
        let unlisted = activity.uploadsInFlight - activity.transfers.count { $0.isUpload && $0.state == .running }
        if unlisted > 0 {
            contents.append(
                .init(
                    key: .unlisted(place.name), icon: Self.icon(isUpload: true),
                    title: unlisted == 1 ? "Sending 1 change" : "Sending \(unlisted) changes", subtitle: place.name))
        }
        let waiting = activity.uploadsWaiting + activity.downloadsWaiting
        if waiting > 0 {
            var content = TransferRow.Content(
                key: .waiting(place.name), icon: "emoji-recent-symbolic",
                title: waiting == 1 ? "1 transfer waits" : "\(waiting) transfers wait",
                subtitle: "\(place.name), \(Self.reason(activity))")
            if !activity.isPaused { content.button = retrying(place.name) }
            contents.append(content)
        }
        contents += zip(rows, activity.transfers).filter { $1.state != .running }.map(\.0)
        for (index, fault) in activity.faults.enumerated() {
            var content = TransferRow.Content(
                key: .fault(place.name, index), icon: "dialog-warning-symbolic", title: place.name,
                subtitle: BrowserError.sentence(fault))
            content.button = retrying(place.name)
            contents.append(content)
        }
        return contents
    }

    /// Returns the row of a transfer.
    private func row(_ transfer: TransferActivity, _ place: DomainPlace) -> TransferRow.Content {
        let name = "“\(transfer.name)”"
        let (title, subtitle) =
            switch transfer.state {
            case .running:
                ("\(transfer.isUpload ? "Uploading" : "Downloading") \(name)", Self.words(transfer, place.name))
            case .waiting: ("\(name) waits to be \(transfer.isUpload ? "uploaded" : "downloaded")", place.name)
            case .cancelled: ("Upload of \(name) cancelled", "\(place.name), the change stays on this computer")
            }
        let icon = transfer.state == .cancelled ? "process-stop-symbolic" : Self.icon(isUpload: transfer.isUpload)
        var content = TransferRow.Content(
            key: .transfer(place.name, file: transfer.file, isUpload: transfer.isUpload, transfer.state), icon: icon,
            title: title, subtitle: subtitle)
        if transfer.state == .running, transfer.total > 0 { content.fraction = Double(transfer.percent) / 100 }
        if transfer.state == .cancelled {
            content.button = retrying(place.name, about: transfer.name)
        } else if transfer.canBeCancelled {
            let kind = transfer.isUpload ? "upload" : "download"
            content.button = .init(label: "Cancel", name: "Cancel the \(kind) of \(transfer.name)") { [browser] in
                browser.cancel(transfer, of: place.name)
            }
        }
        return content
    }

    /// Returns the row with which the transfers of a domain are paused and continued.
    private func pausing(_ place: DomainPlace) -> TransferRow.Content {
        let isPaused = place.activity.isPaused
        var content = TransferRow.Content(
            key: .domain(place.name, isPaused: isPaused), icon: "folder-remote-symbolic", title: place.name,
            subtitle: isPaused
                ? "Paused. Changes stay on this computer, and files that you open are still downloaded."
                : place.summary)
        let label = isPaused ? "Resume" : "Pause"
        content.button = .init(label: label, name: "\(label) the transfers of \(place.name)") { [browser] in
            browser.setPaused(place.name, !isPaused)
        }
        return content
    }

    private func retrying(_ domain: String, about subject: String? = nil) -> TransferRow.Button {
        .init(label: "Try Again", name: "Try again: \(subject ?? domain)") { [browser] in
            browser.apply(.retry(domain: domain))
        }
    }

    private static func icon(isUpload: Bool) -> String {
        isUpload ? "network-transmit-symbolic" : "folder-download-symbolic"
    }

    /// Returns the reason why transfers wait.
    private static func reason(_ activity: DomainActivity) -> String {
        if activity.isPaused { return "until you resume them" }
        if activity.needsSignIn { return "until you sign in" }
        if let reason = activity.disconnection { return "because \(reason)" }
        return activity.faults.isEmpty ? "until others have ended" : "until the failure is resolved"
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
}

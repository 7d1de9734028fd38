import CAdwaita
import DomainMessages
import FileBrowser
import FileProvider
import FileProviderGTK

/// The actions of a window.
extension BrowserWindow {
    func addActions() {
        let browser = browser
        actions.add(.open) { [weak self] in browser.selection.first.map { self?.activate($0) } }
        actions.add(.rename) { [weak self] in browser.selection.first.map { self?.items.beginNaming($0.id) } }
        actions.add(.trash) { browser.trash(browser.selection) }
        actions.add(.copy) { browser.copy(browser.selection, isCut: false) }
        actions.add(.cut) { browser.copy(browser.selection, isCut: true) }
        actions.add(.paste) { browser.paste() }
        actions.add(.duplicate) { browser.duplicate(browser.selection) }
        actions.add(.keep) { browser.keep(browser.selection, isWanted: true) }
        actions.add(.unkeep) { browser.keep(browser.selection, isWanted: false) }
        actions.add(.download) { browser.download(browser.selection) }
        actions.add(.freeUp) { browser.freeUp(browser.selection) }
        actions.add(.retry) { browser.retry(browser.selection) }
        actions.add(.favorite) { browser.setFavorite(browser.selection, true) }
        actions.add(.unfavorite) { browser.setFavorite(browser.selection, false) }
        actions.add(.restore) { browser.restore(browser.selection) }
        actions.add(.deleteForever) { [window] in
            let items = browser.selection
            Dialogs.confirmDeletion(of: items, over: window) { browser.deleteForever(items) }
        }
        actions.add(.tags) { [window] in TagDialog.show(for: browser.selection, browser, over: window) }
        actions.add(.conflict) { [weak self] in self?.compareVersions() }
        actions.add(.newFolder) { browser.makeFolder() }
        actions.add(.selectAll) { [weak self] in self?.items.selectAll() }
        actions.add(.undo) { [weak self] in self?.undo() }
        actions.add(.back) { browser.goBack() }
        actions.add(.forward) { browser.goForward() }
        actions.add(.up) { browser.goUp() }
        actions.add(.transfers) { browser.go(to: .transfers) }
        actions.add(.reload) { browser.load() }
        actions.add(.switchPane) { [weak self] in self?.switchPane() }
        actions.add(.search) { [weak self] in
            guard let self else { return }
            setSearching(!isSearching)
        }
        actions.add(.grid) { [weak self] in self?.toggleGrid() }
        actions.add(.info) { [weak self] in
            guard let self else { return }
            setInformationShown(!layout.isPaneShown)
        }
        actions.add(.menu) { [weak self] in self?.items.popUpMenu() }
        actions.add(.shortcuts) { [window] in Shortcuts.show(over: window) }
        actions.add(.close) { [window] in gtk_window_close(window) }
        addChoices()
        actions.refresh(browser)
    }

    private func addChoices() {
        actions.add(.openWith) { [weak self] in self?.openSelection(with: $0) }
        actions.add(.share) { [weak self] identifier in
            guard let self, let target = menu?.extensions.first(where: { $0.identifier == identifier }) else { return }
            browser.share(browser.selection, with: target)
        }
        actions.add(.perform) { [weak self] identifier in
            guard let self, let item = browser.selection.first,
                let action = menu?.providerActions.first(where: { $0.identifier == identifier })
            else { return }
            browser.perform(action, on: item)
        }
    }

    private func openSelection(with program: String) {
        guard let item = browser.selection.first else { return }
        let display = gtk_widget_get_display(window.object(as: GtkWidget.self))
        if let reason = Programs.open(item, with: program, on: display) {
            browser.report(BrowserError("“\(item.name)” cannot be opened: \(reason)"))
        }
    }

    func compareVersions() {
        guard let item = browser.selection.first else { return }
        guard let conflict = browser.conflict(of: item) else {
            return toasts.show("“\(item.name)” has no other version here", canUndo: false)
        }
        ConflictDialog.show(
            conflict, browser, over: window, picture: { [items] in items.picture(of: $0) },
            open: { [weak self] in self?.activate($0) })
    }
}

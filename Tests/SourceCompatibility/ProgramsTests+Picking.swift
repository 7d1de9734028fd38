import Foundation
import Glibc
import Testing
import UniformTypeIdentifiers

/// Tests of programs with document pickers, browsers and panels. The window cannot be shown in them, so nothing is
/// picked; `PickerTests` runs a program with a window. The delegates are also called as the window calls them.
extension ProgramsTests {
    /// Runs a test whose programs find no window to show, in a process of its own: the variable would reach programs
    /// that other tests start.
    @MainActor private static func withoutWindow(_ body: @MainActor () async throws -> Void) async throws {
        try #require(setenv("PURVEY_FILES", "/nowhere/purvey-files", 1) == 0)
        try await body()
    }

    @Test func aListOfNotesImportsAndExports() async {
        await #expect(processExitsWith: .success) {
            try await ProgramsTests.withoutWindow {
                let list = NoteListViewController()
                await withCheckedContinuation { done in
                    list.onFinish = { done.resume() }
                    list.importTapped(nil)
                }
                #expect(!list.isImporting && list.notes.isEmpty && list.presentedViewController == nil)
                list.onFinish = nil
                let note = try TemporaryFile("note.txt", Data("to do".utf8))
                list.documentPicker(
                    UIDocumentPickerViewController(forOpeningContentTypes: [.text]), didPickDocumentsAt: [note.url])
                #expect(list.notes.map(\.path) == [note.url.path])
                await withCheckedContinuation { done in
                    list.onFinish = { done.resume() }
                    list.exportNotes()
                    #expect(list.title == "Exporting…")
                }
                list.onFinish = nil
                let modes = list.olderPickers().map(\.documentPickerMode)
                #expect(modes == [.import, .exportToService, .moveToService])
                list.documentPicker(list.olderPickers()[1], didPickDocumentsAt: [note.url])
                #expect(list.exported == [note.url])
            }
        }
    }

    @MainActor @Test func aCoordinatorGetsOneDocument() async throws {
        var results: [Result<URL, any Error>] = []
        let coordinator = PickerCoordinator { results.append($0) }
        let controller = coordinator.makeUIViewController()
        let url = URL(fileURLWithPath: "/tmp/a.json")
        // A delegate with the older method gets each document by itself.
        controller.delegate?.documentPicker(controller, didPickDocumentsAt: [url])
        controller.delegate?.documentPickerWasCancelled(controller)
        #expect(try results.first?.get() == url)
        #expect(throws: CocoaError.self) { try results.last?.get() }
    }

    @Test func aDocumentBrowserOpensAndMakesDocuments() async {
        await #expect(processExitsWith: .success) {
            try await ProgramsTests.withoutWindow {
                let browser = DocumentBrowserViewController()
                let presenter = UIViewController()
                presenter.present(browser, animated: true)
                #expect(browser.delegate === browser)
                #expect(browser.localizedCreateDocumentActionTitle == "New Note")
                #expect(browser.allowedContentTypes == ["public.plain-text"])

                var made: [(URL?, UIDocumentBrowserViewController.ImportMode)] = []
                browser.delegate?.documentBrowser(browser) { made.append(($0, $1)) }
                let note = try TemporaryFile("note.txt", Data("to do".utf8))
                browser.template = note.url
                browser.delegate?.documentBrowser(browser) { made.append(($0, $1)) }
                #expect(made.map(\.0) == [nil, note.url])
                #expect(made.map(\.1) == [.none, .copy])

                let neighbour = try TemporaryFile("other.txt", Data())
                let imported = await withCheckedContinuation { done in
                    browser.importDocument(at: note.url, nextToDocumentAt: neighbour.url, mode: .copy) { url, _ in
                        done.resume(returning: url)
                    }
                }
                #expect(imported?.deletingLastPathComponent().path == neighbour.folder.path)
                browser.documentBrowser(browser, didPickDocumentsAt: [note.url, neighbour.url])
                #expect(browser.presented == [note.url])
                let renamed = await withCheckedContinuation { done in
                    browser.renameDocument(at: neighbour.url, proposedName: "renamed.txt") { url, _ in
                        done.resume(returning: url)
                    }
                }
                #expect(renamed?.lastPathComponent == "renamed.txt")
                // The window cannot be shown, so the browser is dismissed.
                while presenter.presentedViewController != nil { try await Task.sleep(for: .milliseconds(10)) }
            }
        }
    }

    @Test func panelsOfAnEditorEndWithoutAWindow() async {
        await #expect(processExitsWith: .success) {
            try await ProgramsTests.withoutWindow {
                let editor = EditorController()
                let panel = editor.makeOpenPanel()
                #expect(await panel.begin() == .cancel)
                #expect(panel.urls.isEmpty && panel.url == nil)
                #expect(await editor.chooseFolder() == nil)
                let failure = await withCheckedContinuation { done in
                    editor.saveDocument("text") { done.resume(returning: $0) }
                }
                #expect((failure as? CocoaError)?.code == .userCancelled && editor.saved == nil)
                editor.openDocument(nil)
                while editor.log.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
                #expect(editor.log == ["cancelled"])
            }
        }
    }
}

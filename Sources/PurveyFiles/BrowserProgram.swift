import CAdwaita
import DocumentPicker
import FileBrowser
import FileProviderGTK
import LinuxSystem
import ProgramManuals

/// The application: its first window, and GTK's loop.
@MainActor enum BrowserProgram {
    /// The first action of the program, which its command line requests.
    enum Begin {
        case place(String?)
        case location(Location)
        /// Picks items for the program that started this program.
        case pick(PickerRequest)
        /// Writes pictures to a directory, and ends.
        case screenshots(String, domain: String?)
        /// Prints durations for the benchmark, and ends.
        case measure(Measurement.Plan)
    }

    /// Runs until the last window is closed. Returns the exit status.
    static func run(_ begin: Begin, _ manual: ProgramManual) -> CInt {
        guard gtk_init_check() != 0 else {
            return manual.complain("there is no display to show a window on; 'purvey ls' lists a folder")
        }
        adw_init()
        MainQueue.attach()
        guard let object = adw_application_new("org.purvey.Files", G_APPLICATION_NON_UNIQUE) else { return 1 }
        let application = object.object(as: GtkApplication.self)
        var status: CInt = 0
        var picker: Picker?
        onSignal("activate", of: application) {
            Style.install()
            let browser = Browser(daemon: UserDaemon())
            if case .pick(let request) = begin {
                do throws(Errno) {
                    picker = try Picker(request, browser)
                } catch {
                    status = manual.complain("--hand-over needs a socket as descriptor 3, which it is not: \(error)")
                    return
                }
            }
            let window = BrowserWindow(browser, in: application, picker: picker)
            switch begin {
            case .pick(let request):
                open(request.place, window)
                if request.place == nil, request.needsFolder { browser.beginAtFirstDomain() }
                if picker?.bar.grabFocus() != true { window.items.grabFocus() }
            case .place(let place): open(place, window)
            case .location(let location):
                browser.begin(at: location)
                show(window)
            case .measure(let plan):
                Task {
                    await Measurement.run(window, plan)
                    gtk_window_destroy(window.window)
                }
            case .screenshots(let directory, let domain):
                Task {
                    status = await Screenshots.take(window, of: domain, into: directory) ? 0 : 1
                    gtk_window_destroy(window.window)
                }
            }
        }
        let result = g_application_run(application.object(as: GApplication.self), 0, nil)
        g_object_unref(object)
        return result == 0 ? picker?.status ?? status : result
    }

    /// Shows a domain, a folder or a directory in a window. If `place` is `nil`, shows the recent files.
    private static func open(_ place: String?, _ window: BrowserWindow) {
        if let place, place.isAbsolutePath {
            window.browser.begin(at: .recents)
            window.browser.begin(atDirectory: place)
        } else {
            window.browser.begin(at: location(place))
        }
        show(window)
    }

    private static func show(_ window: BrowserWindow) {
        gtk_window_present(window.window)
        window.items.grabFocus()
    }

    /// The locations that have a name on the command line, in the order of the help.
    nonisolated static let namedLocations: KeyValuePairs<String, Location> = [
        "recents": .recents, "favorites": .favorites, "trash": .trash, "transfers": .transfers,
    ]

    /// Returns the location for an argument of the form `DOMAIN` or `DOMAIN:PATH`. If the argument is `nil`, returns
    /// the recent files.
    private static func location(_ place: String?) -> Location {
        guard let place else { return .recents }
        guard let colon = place.firstColon else { return .folder(domain: place, path: "") }
        let path = place[place.utf8.index(after: colon)...].pathNames.joined(separator: "/")
        return .folder(domain: String(place[..<colon]), path: path)
    }
}

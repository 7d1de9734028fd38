// `purvey-files`: a window on the files of the services. It is a client of the daemon.
import CAdwaita
import DocumentPicker
import Exchange
import FileBrowser
import FileProviderGTK
import Glibc
import LinuxSystem
import ProgramManuals

let manual = ProgramManual(
    name: "purvey-files",
    summary: "browse the files of all services in a window",
    usage: [
        "[DOMAIN[:PATH] | DIRECTORY]", "--show recents|favorites|trash|transfers",
        "--choose [--folders | --files-and-folders] [--multiple] [--type TYPE]... [OPTIONS] [PLACE]",
        "--save NAME [OPTIONS] [PLACE]", "--screenshots DIR [DOMAIN]", "--measure DOMAIN WORD FOLDER...",
    ],
    text: """
        Shows the files of all services in a window, to browse, search, open and change them, keep them on this computer,
        and free up space. The window opens with the service DOMAIN, in its folder PATH, or with a directory in a mount.
        """,
    options: [
        .init(name: "show", value: "recents|favorites|trash|transfers", summary: "open the window with that place"),
        .init(
            name: "choose", value: nil,
            summary: "let the user choose a file, and print its path; the status is 1 if there is none"),
        .init(name: "folders", value: nil, summary: "choose folders instead of files"),
        .init(name: "files-and-folders", value: nil, summary: "choose files and folders"),
        .init(name: "multiple", value: nil, summary: "permit the choice of several items, each of which is printed"),
        .init(
            name: "type", value: "TYPE",
            summary: "permit only files of this type, such as public.image; for several types, repeat it"),
        .init(
            name: "save", value: "NAME",
            summary: "let the user choose the folder and the name of a new file, and print its path"),
        .init(name: "title", value: "TEXT", summary: "the window's title"),
        .init(name: "prompt", value: "TEXT", summary: "the label of the window's button"),
        .init(name: "message", value: "TEXT", summary: "a text above the items"),
        .init(name: "null", value: nil, summary: "end each printed path with a NUL instead of a line end"),
        .init(
            name: "screenshots", value: "DIR",
            summary: "write pictures of each view to DIR, light and dark, wide and narrow, and right to left"),
        .init(
            name: "measure", value: nil,
            summary: "print how long the window takes to open folders, scroll and search, for purvey-benchmark"),
    ])

signal(SIGPIPE, SIG_IGN)
let arguments = Array(CommandLine.arguments.dropFirst())
if let status = manual.answer(arguments) { exit(status) }
let begin: BrowserProgram.Begin
switch arguments.first {
case "--screenshots"?:
    guard 2...3 ~= arguments.count else { exit(manual.misuse("--screenshots takes a directory and a domain")) }
    begin = .screenshots(arguments[1], domain: arguments.count > 2 ? arguments[2] : nil)
case "--measure"?:
    guard arguments.count > 3 else { exit(manual.misuse("--measure takes a domain, a word and folders")) }
    begin = .measure(.init(domain: arguments[1], folders: Array(arguments[3...]), word: arguments[2]))
case "--choose"?, "--save"?, "--browse"?:
    do throws(PickerRequest.ArgumentError) {
        begin = .pick(try PickerRequest(arguments: arguments))
    } catch {
        exit(manual.misuse(error.description))
    }
case "--show"?:
    let names = BrowserProgram.namedLocations.map(\.key)
    guard arguments.count == 2 else { exit(manual.misuse("--show takes one of \(names.joined(separator: ", "))")) }
    guard let named = BrowserProgram.namedLocations.first(where: { $0.key == arguments[1] }) else {
        exit(
            manual.misuse(
                SpellingSuggestion.sentence(
                    "--show cannot be '\(arguments[1])'", about: arguments[1], known: names, listing: true)))
    }
    begin = .location(named.value)
case let option? where option.hasPrefix("-"): exit(manual.refuse(option))
case let place?:
    guard arguments.count == 1 else { exit(manual.refuse(arguments[1])) }
    begin = .place(place)
case nil: begin = .place(nil)
}
if let locations = try? Locations.current() {
    for warning in locations.warnings { manual.complain("warning: \(warning)") }
}
exit(BrowserProgram.run(begin, manual))

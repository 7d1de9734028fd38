// purvey-benchmark: measures, and prints a table. The exit status is 0 if every target was met, 1 if one was missed
// or a peer is not installed, 2 for wrong usage.
import AppExtension
import Glibc
import LinuxSystem
import ProgramManuals

/// The sections in the order of execution. A section's file is named after it.
let sections: [Section] = [
    .types, .copy, .zip, .conduit, .handoff, .coordination, .index, .search, .provider, .mount, .parts, .listing,
    .finding, .change, .thumbnails, .desktop, .http, .clouds,
]

/// The roles of the benchmark when it starts itself as a child.
let childRoles: [ChildRole] = [
    .typesReady, .conduitCaller, .conduitAnswerer, .handoffProvider, .handoffConsumer, .coordinationReader,
    .coordinationCrowd, .indexFilling, .searching, .providerListing, .folderListing, .smallFileReading,
    .thumbnailMaking,
]

let manual = ProgramManual(
    name: "purvey-benchmark",
    summary: "measure Purvey, against other programs where there are any",
    usage: ["[--json] [--allow-missing-peers] [--small] [SECTION…]"],
    text: """
        Measures the given sections, all of them without arguments, and prints a table. The exit status is 0 when every target was
        met, 1 when one was missed or a program to compare with is not installed.
        """,
    options: [
        .init(name: "json", value: nil, summary: "print JSON"),
        .init(
            name: "allow-missing-peers", value: nil,
            summary: "do without the programs to compare with that are not installed"),
        .init(
            name: "small", value: nil,
            summary: "in the sections http and clouds, transfer 64 MiB instead of 1 GiB, and a tenth of the files"),
    ],
    discussion: "The sections: \(sections.map(\.name).joined(separator: ", ")).")

func complain(_ message: String) { manual.complain(message) }

if MillionItems.isThisProcess { NSExtensionMain() }

signal(SIGPIPE, SIG_IGN)
let arguments = Array(CommandLine.arguments.dropFirst())
if let status = manual.answer(arguments) { exit(status) }
do {
    try ExitCleanup.removeAllAtSignals()
} catch {
    complain("\(error)")
    exit(1)
}
if arguments.first == "--child" {
    guard let name = arguments.dropFirst().first, let role = childRoles.first(where: { $0.name == name }) else {
        complain("--child takes the name of a role")
        exit(2)
    }
    do {
        try role.run(Array(arguments.dropFirst(2)))
        exit(0)
    } catch {
        complain("\(name): \(error)")
        ExitCleanup.removeAll()
        exit(1)
    }
}

let names = arguments.filter { !manual.options.contains($0) }
if let unknown = names.first(where: { name in !sections.contains { $0.name == name } }) {
    if unknown.hasPrefix("-") { exit(manual.refuse(unknown)) }
    exit(
        manual.misuse(
            SpellingSuggestion.sentence(
                "there is no section '\(unknown)'", about: unknown, known: sections.map(\.name), listing: true)))
}

var report = Report()
let chosen = sections.filter { names.isEmpty || names.contains($0.name) }
for (number, section) in chosen.enumerated() {
    // Prints the progress, because the table follows only after all sections, and a section can take minutes.
    complain("section \(number + 1) of \(chosen.count): \(section.name)")
    report.begin(section.name)
    do {
        try section.run(&report)
    } catch {
        report.fail(section.name, because: "\(error)")
    }
}

// A signal that ends the program removes the resources of the measurements, so no report follows.
ExitCleanup.waitIfEnding()
do {
    print(arguments.contains("--json") ? try report.json() : report.table)
} catch {
    complain("\(error)")
    exit(1)
}
let allowsMissingPeers = arguments.contains("--allow-missing-peers")
if !report.missingPeers.isEmpty, !allowsMissingPeers {
    complain(
        "not held against \(report.missingPeers.joined(separator: ", ")): Scripts/install-packages installs what is missing, "
            + "--allow-missing-peers does without")
}
exit(report.isGood(allowingMissingPeers: allowsMissingPeers) ? 0 : 1)

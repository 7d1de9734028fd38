// A file that several programs write: `logbook add FILE WORDS` adds a line, `logbook watch FILE` prints it whenever it
// changes.
import Foundation
import LinuxSystem
import Purvey

final class Watcher: NSObject, NSFilePresenter {
    let presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue.main

    init(_ url: URL) { presentedItemURL = url }

    func presentedItemDidChange() {
        guard let url = presentedItemURL else { return }
        NSFileCoordinator(filePresenter: self).coordinate(readingItemAt: url, error: nil) { url in
            print((try? String(contentsOf: url, encoding: .utf8)) ?? "There is no logbook.\n", terminator: "")
        }
    }
}

let usage = "usage: logbook add FILE WORDS… | watch FILE"

func complain(_ text: String) {
    // Standard error may be closed.
    try? FileHandle.standardError.write(contentsOf: Data("\(text)\n".utf8))
}

let arguments = CommandLine.arguments.dropFirst()
if let word = arguments.first(where: { ["--help", "-h", "--version"].contains($0) }) {
    print(word == "--version" ? "logbook \(PurveyVersion.text)" : usage)
    // The output is still in a buffer. Writing it fails if the disk is full.
    guard fflush(nil) == 0 else {
        complain("logbook: standard output: \(Errno(rawValue: errno))")
        exit(1)
    }
    exit(0)
}
guard let command = arguments.first, ["add", "watch"].contains(command), let path = arguments.dropFirst().first,
    !path.hasPrefix("-")
else {
    complain(usage)
    exit(2)
}
let url = URL(fileURLWithPath: path)

if command == "watch" {
    let watcher = Watcher(url)
    NSFileCoordinator.addFilePresenter(watcher)
    watcher.presentedItemDidChange()
    withExtendedLifetime(watcher) { RunLoop.main.run() }
}

var failure: (any Error)?
var refusal: NSError?
NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: url, options: .forMerging, error: &refusal) { url in
    // Another program that adds a line waits until this line is written.
    let lines = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
    do {
        let line = arguments.dropFirst(2).joined(separator: " ") + "\n"
        try Data((lines + line).utf8).write(to: url, options: .atomic)
    } catch {
        failure = error
    }
}
if let error = refusal ?? failure {
    complain("logbook: \(error.localizedDescription)")
    exit(1)
}

// A file that several programs write: `logbook add FILE WORDS` adds a line, `logbook watch FILE` prints it whenever it
// changes.
import Foundation
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
let arguments = CommandLine.arguments.dropFirst()
if let word = arguments.first, ["--help", "-h"].contains(word) {
    print(usage)
    exit(0)
}
guard let command = arguments.first, ["add", "watch"].contains(command), let path = arguments.dropFirst().first else {
    FileHandle.standardError.write(Data("\(usage)\n".utf8))
    exit(2)
}
let url = URL(fileURLWithPath: path)

if command == "watch" {
    let watcher = Watcher(url)
    NSFileCoordinator.addFilePresenter(watcher)
    watcher.presentedItemDidChange()
    withExtendedLifetime(watcher) { RunLoop.main.run() }
}

var error: NSError?
NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: url, options: .forMerging, error: &error) { url in
    // Another program that adds a line waits until this line is written.
    let lines = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
    try? Data((lines + arguments.dropFirst(2).joined(separator: " ") + "\n").utf8).write(to: url, options: .atomic)
}
if let error {
    FileHandle.standardError.write(Data("logbook: \(error.localizedDescription)\n".utf8))
    exit(1)
}

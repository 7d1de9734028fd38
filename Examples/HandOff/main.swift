// Hands a greeting from one process to another: `hand-off offer` in one terminal, `hand-off load` in another.
import Foundation
import LinuxSystem
import Purvey

let usage = "usage: hand-off offer|load"
let words = CommandLine.arguments.dropFirst()
// An option may stand at any position. Without an option, exactly one word is expected.
let option = words.first { ["--help", "-h", "--version"].contains($0) }

func complain(_ text: String) {
    // Standard error may be closed.
    try? FileHandle.standardError.write(contentsOf: Data("\(text)\n".utf8))
}

do {
    switch option ?? (words.count == 1 ? words.first : nil) {
    case "offer":
        let provider = NSItemProvider()
        provider.suggestedName = "Greeting"
        provider.registerDataRepresentation(for: .utf8PlainText) { completion in
            // Runs each time a process loads the greeting, and not before.
            completion(Data("Hello from process \(getpid())!\n".utf8), nil)
            return nil
        }
        let offer = try await Board.shelf.offer(provider)
        print("Offered. Press return to withdraw it.")
        _ = readLine()
        await offer.withdraw()
    case "load":
        for provider in try await Board.shelf.items() where provider.suggestedName == "Greeting" {
            let greeting = try await provider.loadDataRepresentation(for: .utf8PlainText)
            print(String(decoding: greeting, as: UTF8.self), terminator: "")
        }
    case "--help", "-h":
        print(usage)
    case "--version":
        print("hand-off \(PurveyVersion.text)")
    default:
        complain(usage)
        exit(2)
    }
} catch {
    complain("hand-off: \(error.localizedDescription)")
    exit(1)
}
// The output is still in a buffer. Writing it fails if the disk is full.
if fflush(nil) != 0 {
    complain("hand-off: standard output: \(Errno(rawValue: errno))")
    exit(1)
}

import FileTesting
import Glibc

// A process that checks file systems. It prints faults and exits with a failure.
//
//   FileCheckPeer file PATH SEED OPERATIONS        random operations on a new file
//   FileCheckPeer tree FOLDER MODEL SEED STEPS     random changes in an empty directory and in a model directory
//   FileCheckPeer calls FOLDER                     system calls in a directory; a line for each: name, tab, outcome
let words = Array(CommandLine.arguments.dropFirst())
do {
    switch (words.first, words.count) {
    case ("file", 4):
        guard let seed = UInt64(words[2]), let operations = Int(words[3]) else { exit(2) }
        var checker = try RandomFileChecker(path: words[1], seed: seed)
        try checker.run(operations: operations)
        _ = try checker.finish()
    case ("tree", 5):
        guard let seed = UInt64(words[3]), let steps = Int(words[4]) else { exit(2) }
        var checker = try RandomTreeChecker(checked: words[1], model: words[2], seed: seed)
        try checker.run(steps: steps)
    case ("calls", 2):
        umask(0o022)
        guard chdir(words[1]) == 0 else { exit(2) }
        var transcript = Transcript()
        try transcript.playAll()
        for line in transcript.lines {
            print("\(line.name)\t\(line.outcome)".replacing("\n", with: "\\n"))
        }
    default: exit(2)
    }
} catch {
    print(error)
    exit(1)
}

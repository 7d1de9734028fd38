import FileTesting
import Glibc

// FileCheckPeer PATH SEED OPERATIONS: does random operations to a new file, and says what was wrong, if anything was.
let words = CommandLine.arguments
guard words.count == 4, let seed = UInt64(words[2]), let operations = Int(words[3]) else { exit(2) }
do {
    var checker = try RandomFileChecker(path: words[1], seed: seed)
    try checker.run(operations: operations)
    _ = try checker.finish()
} catch {
    print(error)
    exit(1)
}

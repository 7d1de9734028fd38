// Maps files. `read PATH` writes the file's contents to standard output. `read-later` first prints `mapped`, and
// writes when it gets a line of input. `write PATH OFFSET TEXT` writes through a mapping, and with `write-closed` the
// file is closed before. `write-later` prints `mapped`, writes when it gets a line of input, prints `written`, and
// ends at the next line.
//
// This is a process of its own, because a process that serves a mount cannot map its files: the kernel holds a lock
// on the process's memory while it waits for the reply.
import Glibc

func fail(_ step: String) -> Never {
    perror(step)
    exit(1)
}

let words = CommandLine.arguments.dropFirst()
guard let step = words.first, let path = words.dropFirst().first else { exit(2) }
let isWriting = step.hasPrefix("write")
let file = open(path, isWriting ? O_RDWR : O_RDONLY)
guard file >= 0 else { fail("open") }
var status = stat()
guard fstat(file, &status) == 0 else { fail("fstat") }
let size = Int(status.st_size)
let address = mmap(nil, size, isWriting ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, file, 0)
guard let address, address != MAP_FAILED else { fail("mmap") }

if isWriting {
    guard words.count == 4, let place = Int(words[words.startIndex + 2]) else { exit(2) }
    let text = words[words.startIndex + 3]
    if step == "write-closed" { close(file) }
    if step == "write-later" {
        // Reads the page into memory, so that the later write does not depend on the process that serves the file
        // then.
        guard address.load(fromByteOffset: place, as: UInt8.self) != 0 else { exit(2) }
        print("mapped")
        fflush(nil)
        _ = readLine()
    }
    text.withCString { (address + place).copyMemory(from: $0, byteCount: text.utf8.count) }
    if step == "write-later" {
        print("written")
        fflush(nil)
        _ = readLine()
    }
    munmap(address, size)
} else {
    if step == "read-later" {
        // The page is in memory from here on, regardless of the process that serves the file.
        guard address.load(as: UInt8.self) != 0 else { exit(2) }
        print("mapped")
        fflush(nil)
        _ = readLine()
    }
    var done = 0
    while done < size {
        let count = write(STDOUT_FILENO, address + done, size - done)
        guard count > 0 else { fail("write") }
        done += count
    }
}

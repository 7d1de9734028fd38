import Glibc
import LinuxSystem

/// The memory, threads and open files of a process, as the kernel reports them to other processes.
struct ProcessUsage {
    /// The path of the directory, in `/proc`, of the thread from which the other values were read.
    let folder: String
    let threads: Int
    /// The number of bytes of private memory, resident or swapped out, and of page tables.
    let privateMemory: Int
    /// The number of resident bytes of mapped memory files and shared memory. They include mapped programs in `/tmp`,
    /// if this directory is in memory.
    let mappedMemory: Int
    let open: CountedFiles

    enum Outcome {
        case known(ProcessUsage)
        /// The process has ended or is ending. It cannot use more resources.
        case ending
        /// The process is running, but its memory or its descriptors cannot be read.
        case hidden
    }

    /// The maximum number of times that the list of threads is read. It is read again if every listed thread ends
    /// before its values are read.
    private static let attempts = 4

    /// Reads the usage of a process that has not been reaped by waitpid(2). Blocks on the system for a short time.
    ///
    /// The kernel reports memory and descriptors only for a thread that has not ended. The first thread can end while
    /// other threads run, and any thread can end while its values are read.
    ///
    /// - Parameter folders: See ``CountedFiles``.
    static func of(_ process: pid_t, folders: [String]) -> Outcome {
        let tasks = "/proc/\(process)/task"
        var known: Set<String> = []
        var startsThreads = false
        for attempt in 0...attempts {
            var threads = [String(process)]
            if attempt > 0 {
                guard let list = try? FileDescriptor.open(tasks, [.readOnly, .directory]).entries() else {
                    return .hidden
                }
                threads = list.map { $0.name.description }
            }
            for thread in threads {
                switch read(tasks + "/" + thread, folders) {
                case .known(let usage): return .known(usage)
                case .hidden: return .hidden
                case .ending: continue
                }
            }
            // A process that is ending starts no thread.
            startsThreads = startsThreads || attempt > 1 && !known.isSuperset(of: threads)
            known.formUnion(threads)
        }
        return startsThreads ? .hidden : .ending
    }

    /// Reads the usage from the directory of one thread. Returns `ending` if this thread has ended.
    private static func read(_ folder: String, _ folders: [String]) -> Outcome {
        let status = SystemFile.text(folder + "/status")
        guard hasMemory(status) else { return .ending }
        let open: CountedFiles
        do throws(Errno) {
            open = try CountedFiles(in: folder + "/fd", folders: folders)
        } catch {
            return error == .noSuchFile || error == .noSuchProcess ? .ending : .hidden
        }
        // A thread loses its memory before its descriptors. So if it still has its memory, it still had all its
        // descriptors when they were read.
        guard hasMemory(SystemFile.text(folder + "/status")) else { return .ending }
        func bytes(_ key: String) -> Int { SystemFile.bytes(key, in: status) }
        return .known(
            ProcessUsage(
                folder: folder, threads: SystemFile.number("Threads", in: status) ?? 0,
                privateMemory: bytes("RssAnon") + bytes("VmSwap") + bytes("VmPTE"), mappedMemory: bytes("RssShmem"),
                open: open))
    }

    private static func hasMemory(_ status: String) -> Bool { SystemFile.number("VmRSS", in: status) != nil }
}

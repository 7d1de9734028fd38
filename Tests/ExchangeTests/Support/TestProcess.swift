import Foundation
import Glibc
import LinuxSystem

/// What belongs to the process that runs the tests.
enum TestProcess {
    /// Holds everything that tests write. Removed when the process ends, or by whoever made it.
    static let folder: String = {
        signal(SIGPIPE, SIG_IGN)
        // Whoever runs the tests has made one for them (Scripts/run-tests). `PURVEY_HOME` then is what it is from the first
        // test on: those of other modules use it at the same time, and load before this is asked for.
        if let given = getenv("PURVEY_TEST_HOME").map({ String(cString: $0) }),
            getenv("PURVEY_HOME").map({ String(cString: $0) }) == given
        {
            mkdir(given, 0o700)
            atexit { TestProcess.endDaemon() }
            return given
        }
        // Short, because the path of a socket is.
        let temporary = (NSTemporaryDirectory() as NSString).standardizingPath
        // One for the process: each module of tests with this file in it would have its own otherwise, and there is one
        // environment.
        let path = temporary + "/pv-" + String(getpid(), radix: 36)
        mkdir(path, 0o700)
        // Loads that this process makes keep their files there as well.
        setenv("PURVEY_HOME", path, 1)
        atexit {
            TestProcess.endDaemon()
            try? FileManager.default.removeItem(atPath: TestProcess.folder)
        }
        return path
    }()

    /// The daemon that this process has started by using what is shared. One whose folder goes while somebody is connected
    /// would make it anew.
    private static func endDaemon() {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { pid_t($0) } ?? []
        for process in processes {
            let arguments = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
            guard
                arguments.split(separator: 0).contains(where: { $0.elementsEqual((folder + "/run/daemon.socket").utf8) }
                )
            else { continue }
            kill(process, SIGTERM)
            for _ in 0..<1000 where kill(process, 0) == 0 { usleep(10_000) }
        }
    }

    /// Has to come before the first load.
    static func prepare() { _ = folder }

    /// A program that was built with the tests.
    static func program(_ name: String) -> String {
        let own = (try? FileDescriptor.open("/proc/self/exe", .pathOnly).path) ?? ""
        // The test runner may be a program of the toolchain; then the tests are a library that it was given.
        let candidates = [own] + CommandLine.arguments
        for path in candidates {
            let folder = (path as NSString).deletingLastPathComponent
            if access(folder + "/" + name, X_OK) == 0 { return folder + "/" + name }
        }
        return name
    }

    static func environment(home: String) -> [String] {
        var environment = ProcessInfo.processInfo.environment
        environment["PURVEY_HOME"] = home
        // Tests of a process alone have it for themselves.
        environment["PURVEY_COORDINATION"] = nil
        return environment.map { "\($0.key)=\($0.value)" }
    }
}

import Foundation
import Glibc
import LinuxSystem

/// The environment of the process that runs the tests.
enum TestProcess {
    /// The directory of all files that the tests write. The process that made it removes it.
    static let folder: String = {
        signal(SIGPIPE, SIG_IGN)
        // Scripts/run-tests makes a directory for the tests. `PURVEY_HOME` then has its value from the first test on.
        // Tests of other modules run at the same time and may load before this property is first read.
        if let given = getenv("PURVEY_TEST_HOME").map({ String(cString: $0) }),
            getenv("PURVEY_HOME").map({ String(cString: $0) }) == given
        {
            mkdir(given, 0o700)
            atexit { TestProcess.endDaemon() }
            return given
        }
        // The path is short because socket paths are limited in length.
        let temporary = (NSTemporaryDirectory() as NSString).standardizingPath
        // One directory per process. Each test module that contains this file would use its own otherwise, but they
        // share one environment.
        let path = temporary + "/pv-" + String(getpid(), radix: 36)
        mkdir(path, 0o700)
        // Loads of this process keep their files there as well.
        setenv("PURVEY_HOME", path, 1)
        atexit {
            TestProcess.endDaemon()
            try? FileManager.default.removeItem(atPath: TestProcess.folder)
        }
        return path
    }()

    /// Ends the daemon that this process started implicitly. If the directory were removed while a client is
    /// connected, the daemon would create it again.
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

    /// Prepares the environment. Must be called before the first load.
    static func prepare() { _ = folder }

    /// Returns the path of a program that was built with the tests.
    static func program(_ name: String) -> String {
        let own = (try? FileDescriptor.open("/proc/self/exe", .pathOnly).path) ?? ""
        // The test runner may be a program of the toolchain. Then the tests are a library among its arguments.
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
        // Tests of coordination within one process set this variable for themselves only.
        environment["PURVEY_COORDINATION"] = nil
        return environment.map { "\($0.key)=\($0.value)" }
    }
}

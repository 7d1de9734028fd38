import FileTesting
import Glibc
import LinuxSystem
import Testing

struct NeverHappened: Error {}

/// Looks again and again, for a minute at most.
func eventually(_ condition: () throws -> Bool) throws {
    for _ in 0..<60_000 {
        if try condition() { return }
        usleep(5000)
    }
    throw NeverHappened()
}

/// A program of this package, which is built beside the tests.
func builtProgram(_ name: String) throws -> String {
    let own = (try? FileDescriptor.open("/proc/self/exe", .pathOnly).path) ?? ""
    // The test runner may be a program of the toolchain; then the tests are a library that it was given.
    for path in [own] + CommandLine.arguments {
        let candidate = path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/" + name
        if access(candidate, X_OK) == 0 { return candidate }
    }
    throw NeverHappened()
}

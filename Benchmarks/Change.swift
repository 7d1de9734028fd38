import Foundation
import Glibc
import LinuxSystem

extension Section {
    /// The duration until a change at the provider is visible through the mount. It begins when the provider's file is
    /// replaced, includes the provider's signal and the enumeration of changes, and ends when stat(2) returns the new
    /// size.
    static let change = Section(name: "change") { report in
        let source = try ScratchFolder()
        for number in 0..<100 { _ = try source.file("file-\(number)") }
        let cloud = try CloudFolder(over: source.path)
        _ = try BenchmarkChild.output(ofProgram: "/bin/ls", ["-l", cloud.mount])
        var times: [Double] = []
        for round in 1...50 {
            let size = round * 10
            let beside = try source.file("beside")
            try beside.truncate(to: size)
            let start = Measure.now()
            try retrying { rename(source.path + "/beside", source.path + "/file-\(round)") }
            try MountedFiles.wait(for: cloud.mount + "/file-\(round)", size: size)
            times.append(Double(Measure.now() - start) / 1e9)
            usleep(20_000)
        }
        report.add(
            "a change at the provider is seen through the mount", Measure.median(times), .seconds, target: .atMost(0.05)
        )
        report.add("the slowest of fifty", times.max() ?? 0, .seconds, target: .atMost(0.05))
    }
}

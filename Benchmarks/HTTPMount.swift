import Foundation
import Glibc
import LinuxSystem

extension Section {
    /// Transfers through a mounted domain of the provider for WebDAV, against `curl` with the same nginx.
    static func measureMount(of server: WebServer, largeSize: Int, smallFiles: Int, _ report: inout Report) throws {
        guard server.speaksWebDAV else {
            return report.miss(
                "nginx-dav-ext", because: "it is not installed (Debian package libnginx-mod-http-dav-ext)")
        }
        let cloud = try CloudFolder(
            of: "WebDAV", ["webdav", "measured", "url=" + server.site.address("")])
        let mount = WebMount(cloud: cloud, server: server, largeSize: largeSize, smallFiles: smallFiles)
        try mount.measureReading(&report)
        try mount.measureFirstByte(&report)
        try mount.measureSmallFiles(&report)
        try mount.measureUpload(&report)
        try mount.measureMemory(&report)
    }
}

/// A mounted domain of a web server's files.
private struct WebMount {
    let cloud: CloudFolder
    let server: WebServer
    let largeSize: Int
    let smallFiles: Int

    private var large: String { cloud.mount + "/large" }

    private func evict(_ path: String) { _ = try? cloud.purvey(["evict", path]) }

    func measureReading(_ report: inout Report) throws {
        evict(large)
        let times = try Measure.medians(rounds: 3, cleanUp: { evict(large) }) {
            try MountedFiles.read(large, size: largeSize)
        } _: {
            try WebServer.curl(["--output", "/dev/null", server.site.address("large")])
        }
        report.add(
            "a cold file read through the mount", Double(largeSize) / times.ours, .bytesPerSecond,
            peer: .init(name: "curl", value: Double(largeSize) / times.theirs), target: .ratioAtLeast(0.9))
    }

    func measureFirstByte(_ report: inout Report) throws {
        var times: (ours: [Double], theirs: [Double]) = ([], [])
        var fetched = 0
        for _ in 0..<11 {
            evict(large)
            times.ours.append(try Measure.seconds { _ = try MountedFiles.read(large, upTo: 1) })
            fetched = max(fetched, try FileStatus.of(large, followingLinks: false).allocatedSize)
            times.theirs.append(try WebServer.secondsToFirstByte(of: server.site.address("large")))
        }
        let theirs = Measure.median(times.theirs)
        report.add(
            "its first byte", Measure.median(times.ours), .seconds, peer: .init(name: "curl", value: theirs),
            target: .atMost(theirs + 0.005))
        report.add("what is fetched for it", Double(fetched), .bytes, target: .atMost(Double(1 << 20)))
    }

    func measureSmallFiles(_ report: inout Report) throws {
        let names = server.site.address("small/[0-\(smallFiles - 1)]")
        let folder = cloud.mount + "/small"
        let single = try Measure.medians(rounds: 3, cleanUp: { evict(folder) }) {
            for number in 0..<smallFiles { _ = try MountedFiles.read(folder + "/\(number)") }
        } _: {
            try WebServer.curl(["--output", "/dev/null", names])
        }
        report.add(
            "\(smallFiles) small files through the mount", single.ours, .seconds,
            peer: .init(name: "curl", value: single.theirs), target: .ratioAtMost(3))
        let (readers, count) = (16, smallFiles)
        let parallel = try Measure.medians(rounds: 3, cleanUp: { evict(folder) }) {
            try inParallel(readers) { reader in
                for number in stride(from: reader, to: count, by: readers) {
                    _ = try MountedFiles.read(folder + "/\(number)")
                }
            }
        } _: {
            try WebServer.curl(["--parallel", "--parallel-max", "6", "--output", "/dev/null", names])
        }
        report.add(
            "the same by \(readers) readers", parallel.ours, .seconds,
            peer: .init(name: "curl --parallel", value: parallel.theirs), target: .ratioAtMost(1.2))
    }

    /// Runs a function on several threads, and waits for all.
    private func inParallel(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
        let failure = Lock<(any Error)?>(nil)
        DispatchQueue.concurrentPerform(iterations: count) { number in
            do { try body(number) } catch { failure.withLock { $0 = error } }
        }
        if let error = failure.withLock({ $0 }) { throw error }
    }

    func measureUpload(_ report: inout Report) throws {
        let (new, path) = (cloud.mount + "/new", server.largePath)
        func remove() {
            unlink(new)
            try? server.wait(for: "new", size: nil)
        }
        let times = try Measure.medians(rounds: 3, cleanUp: remove) {
            _ = try BenchmarkChild.output(ofProgram: "/bin/cp", [path, new])
            try server.wait(for: "new", size: largeSize)
        } _: {
            try WebServer.curl(["--upload-file", path, server.site.address("uploaded")])
        }
        report.add(
            "cp into the mount, until it is at the server", Double(largeSize) / times.ours, .bytesPerSecond,
            peer: .init(name: "curl", value: Double(largeSize) / times.theirs), target: .ratioAtLeast(0.9))
    }

    /// Adds the peak of the resident memory of the daemon and its provider.
    func measureMemory(_ report: inout Report) throws {
        report.add(
            "memory of the daemon and the provider", Double(try cloud.peakMemory()), .bytes,
            target: .atMost(Double(150 << 20)))
    }
}

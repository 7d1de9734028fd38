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
        for name in WebMount.smallFolders.joined() { try server.addSmallFiles(name, count: smallFiles) }
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
        let scratch = try ScratchFolder()
        // The mount stores what it fetches, so the target is that of curl with a file as its output.
        let outputs: [(name: String, path: String, target: Figure.Target)] = [
            ("curl, without a file", "/dev/null", .none),
            ("curl, to a file", scratch.path + "/large", .ratioAtLeast(0.9)),
        ]
        for (name, output, target) in outputs {
            evict(large)
            let times = try Measure.medians(rounds: 3, cleanUp: { evict(large) }) {
                try MountedFiles.read(large, size: largeSize)
            } _: {
                if output.hasPrefix(scratch.path) { unlink(output) }
                try WebServer.curl(["--output", output, server.site.address("large")])
            }
            report.add(
                "a cold file read through the mount", Double(largeSize) / times.ours, .bytesPerSecond,
                peer: .init(name: name, value: Double(largeSize) / times.theirs), target: target)
        }
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

    private static let rounds = 3
    /// The directories with small files for the rounds of both measurements. If one directory were evicted between the
    /// rounds, ext4 without a journal would search past the removed inodes for each new file.
    static let smallFolders = ["single", "parallel"].map { name in (0...rounds).map { "\(name)\($0)" } }

    func measureSmallFiles(_ report: inout Report) throws {
        let single = try timeOfSmallFiles(Self.smallFolders[0], []) { folder in
            for number in 0..<smallFiles { _ = try MountedFiles.read(folder + "/\(number)") }
        }
        report.add(
            "\(smallFiles) small files through the mount", single.ours, .seconds,
            peer: .init(name: "curl", value: single.theirs), target: .ratioAtMost(3))
        let (readers, count) = (16, smallFiles)
        let parallel = try timeOfSmallFiles(
            Self.smallFolders[1], ["--parallel", "--parallel-max", "6"]
        ) { folder in
            try inParallel(readers) { reader in
                for number in stride(from: reader, to: count, by: readers) {
                    _ = try MountedFiles.read(folder + "/\(number)")
                }
            }
        }
        report.add(
            "the same by \(readers) readers", parallel.ours, .seconds,
            peer: .init(name: "curl --parallel", value: parallel.theirs), target: .ratioAtMost(1.2))
    }

    /// Returns the median times in which the small files of directories are fetched through the mount, and by `curl`
    /// into files. Each round fetches the files of one directory.
    private func timeOfSmallFiles(
        _ folders: [String], _ options: [String], _ read: (_ folder: String) throws -> Void
    ) throws -> (ours: Double, theirs: Double) {
        let scratch = try ScratchFolder()
        for folder in folders {
            try MountedFiles.list(cloud.mount + "/" + folder, "-f", atLeast: smallFiles)
            _ = try scratch.folder(folder)
        }
        var (ours, theirs) = (folders[...], folders[...])
        return try Measure.medians(rounds: Self.rounds) {
            try read(cloud.mount + "/" + ours.removeFirst())
        } _: {
            let folder = theirs.removeFirst()
            let address = server.site.address("\(folder)/[0-\(smallFiles - 1)]")
            try WebServer.curl(options + ["--output", scratch.path + "/\(folder)/#1", address])
        }
    }

    /// Runs a function on several threads, and waits for all.
    private func inParallel(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
        let failure = Lock<(any Error)?>(nil)
        let group = DispatchGroup()
        for number in 0..<count {
            group.enter()
            Thread.detachNewThread {
                do { try body(number) } catch { failure.withLock { $0 = error } }
                group.leave()
            }
        }
        group.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }

    func measureUpload(_ report: inout Report) throws {
        let (new, path) = (cloud.mount + "/new", server.largePath)
        func remove() {
            unlink(new)
            try? server.wait(for: "new", size: nil)
        }
        var uploads: [Double] = []
        let times = try Measure.medians(rounds: 3, cleanUp: remove) {
            _ = try BenchmarkChild.output(ofProgram: "/bin/cp", [path, new])
            uploads.append(try Measure.seconds { try server.wait(for: "new", size: largeSize) })
        } _: {
            try WebServer.curl(["--upload-file", path, server.site.address("uploaded")])
        }
        let theirs = Figure.Peer(name: "curl", value: Double(largeSize) / times.theirs)
        report.add(
            "cp into the mount, until it is at the server", Double(largeSize) / times.ours, .bytesPerSecond,
            peer: theirs)
        report.add(
            "its upload, from the end of cp", Double(largeSize) / Measure.median(Array(uploads.dropFirst())),
            .bytesPerSecond, peer: theirs, target: .ratioAtLeast(0.9))
    }

    /// Adds the peak of the resident memory of the daemon and its provider.
    func measureMemory(_ report: inout Report) throws {
        report.add(
            "memory of the daemon and the provider", Double(try cloud.peakMemory()), .bytes,
            target: .atMost(Double(150 << 20)))
    }
}

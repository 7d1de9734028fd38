import Glibc
import LinuxSystem

extension Section {
    /// The section that measures a mounted Nextcloud against Nextcloud's own client with the same server, and a mounted
    /// WebDAV server against the mounts of other programs.
    static let clouds = Section(name: "clouds") { report in
        do {
            try measureNextcloud(&report)
        } catch {
            // The measurement of WebDAV mounts does not depend on Nextcloud.
            report.fail("Nextcloud", because: "\(error)")
        }
        try measureWebMounts(&report)
    }

    private static func measureNextcloud(_ report: inout Report) throws {
        guard access(NextcloudModel.program, X_OK) == 0 else {
            return report.miss("python3", because: "it is not installed")
        }
        let server = try NextcloudModel()
        try withExtendedLifetime(server) {
            let cloud = try CloudFolder(
                of: "Nextcloud",
                [
                    "--password-file", server.passwordFile, "nextcloud", "measured", "url=" + server.address,
                    "user=" + NextcloudModel.user,
                ])
            try measureNewFiles(server, cloud, &report)
            try measureNotices(server, cloud, &report)
        }
    }

    /// Measures the rate at which new small files reach the server. The time of the mount includes the copy into the
    /// mount. `nextcloudcmd` sends the files from a directory that already contains them.
    private static func measureNewFiles(
        _ server: NextcloudModel, _ cloud: CloudFolder, _ report: inout Report
    ) throws {
        guard access(NextcloudPeer.program, X_OK) == 0 else {
            return report.miss(
                "nextcloudcmd", because: "it is not installed (Debian package nextcloud-desktop-cmd)")
        }
        let source = try ScratchFolder()
        let (count, size) = (TransferSizes.smallFiles, WebServer.smallSize)
        let new = try source.folder("new")
        var noise = IncompressibleBytes()
        // nextcloudcmd does not send files that were changed in the last two seconds.
        let date = timespec(tv_sec: time(nil) - 3_600, tv_nsec: 0)
        for number in 0..<count {
            let file = try new.open("\(number)", [.readWrite, .create, .exclusive], permissions: 0o644)
            try noise.write(size, to: file)
            try [date, date].withUnsafeBufferPointer { dates in
                _ = try retrying { futimens(file.rawValue, dates.baseAddress) }
            }
        }
        let peer = try NextcloudPeer(server)
        var times: (ours: [Double], theirs: [Double]) = ([], [])
        // The first round is not counted.
        for round in 0...3 {
            let (name, total) = ("/round-\(round)", (round + 1) * count * size)
            let ours = try Measure.seconds {
                _ = try BenchmarkChild.output(ofProgram: "/bin/cp", ["-r", source.path + "/new", cloud.mount + name])
                try server.wait(for: NextcloudModel.user, size: total)
            }
            _ = try BenchmarkChild.output(
                ofProgram: "/bin/cp", ["-r", "--preserve=timestamps", source.path + "/new", peer.folder + name])
            let theirs = try Measure.seconds { try peer.synchronize() }
            guard try server.size(of: NextcloudModel.otherUser) == total else {
                throw MeasurementError("nextcloudcmd has not sent all files")
            }
            guard round > 0 else { continue }
            times.ours.append(ours)
            times.theirs.append(theirs)
        }
        let (files, theirs) = (Double(count), Measure.median(times.theirs))
        report.add(
            "new files of 4 KiB sent in a second", files / Measure.median(times.ours), .count,
            peer: .init(name: "nextcloudcmd", value: files / theirs), target: .ratioAtLeast(5))
    }

    /// Measures the time from the request that changes a file at the server until the mount shows the change. The time
    /// includes the message of notify_push.
    private static func measureNotices(_ server: NextcloudModel, _ cloud: CloudFolder, _ report: inout Report) throws {
        // Makes the server send the message at once. By default, the server collects changes for at least half a
        // second.
        try server.order("set", ["push-quiet": 0, "push-pause": 0])
        _ = try BenchmarkChild.output(ofProgram: "/bin/ls", ["-l", cloud.mount])
        var times: [Double] = []
        for round in 0...20 {
            let size = (round + 1) * 10
            let start = Measure.now()
            try server.order("write", ["user": NextcloudModel.user, "path": "watched", "size": size])
            // The connection for messages may not exist yet in the first round, which is not counted.
            try MountedFiles.wait(for: cloud.mount + "/watched", size: size, seconds: 60)
            if round > 0 { times.append(Double(Measure.now() - start) / 1e9) }
            usleep(20_000)
        }
        report.add(
            "a change at the server is seen through the mount", Measure.median(times), .seconds, target: .atMost(1))
        report.add("the slowest of twenty", times.max() ?? 0, .seconds, target: .atMost(1))
    }
}

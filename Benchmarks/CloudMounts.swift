import Glibc
import LinuxSystem

extension Section {
    /// Measures a mounted domain of the WebDAV provider against mounts of the same nginx by other programs.
    static func measureWebMounts(_ report: inout Report) throws {
        guard access(WebServer.program, X_OK) == 0 else { return report.miss("nginx", because: "it is not installed") }
        let server = try WebServer(largeSize: TransferSizes.large, smallFiles: TransferSizes.smallFiles)
        guard server.speaksWebDAV else {
            return report.miss(
                "nginx-dav-ext", because: "it is not installed (Debian package libnginx-mod-http-dav-ext)")
        }
        try withExtendedLifetime(server) { try MountComparison(server).measure(&report) }
    }
}

/// A comparison of a mounted domain with the mounts of other programs. All do the same work, and none has fetched the
/// measured entries and contents before.
private struct MountComparison {
    /// The figures of one mount. Each round appends a value.
    private struct Figures {
        var listing: [Double] = []
        var longListing: [Double] = []
        var small: [Double] = []
        var large: [Double] = []
        var memory = 0
    }

    private let server: WebServer
    /// The number of counted rounds. One round before them is not counted.
    private static let rounds = 3

    init(_ server: WebServer) throws {
        self.server = server
        // Only the first listing of a directory fetches its entries, so each measured listing has a separate directory.
        for round in 0...Self.rounds {
            for option in Self.options {
                try server.addFolder(Self.folder(round, option), entries: TransferSizes.entries)
            }
        }
    }

    private static let options = ["-f", "-l"]

    private static func folder(_ round: Int, _ option: String) -> String { "many\(option)\(round)" }

    func measure(_ report: inout Report) throws {
        let cloud = try CloudFolder(of: "WebDAV", ["webdav", "measured", "url=" + server.site.address("")])
        var ours = Figures()
        var theirs: [(kind: WebPeer.Kind, figures: Figures)] = []
        for kind in WebPeer.Kind.allCases {
            if let absence = kind.absence {
                report.miss(kind.rawValue, because: absence)
            } else if !kind.isPermitted {
                report.skip(kind.rawValue, because: "only root can mount with it")
            } else {
                theirs.append((kind, Figures()))
            }
        }
        for round in 0...Self.rounds {
            for name in ["large", "small"] { _ = try? cloud.purvey(["evict", cloud.mount + "/" + name]) }
            try use(cloud.mount, round, &ours)
            theirs = theirs.compactMap { kind, figures in
                var figures = figures
                do {
                    let peer = try WebPeer(kind, of: server.site)
                    try withExtendedLifetime(peer) {
                        try use(peer.folder, round, &figures)
                        figures.memory = max(figures.memory, try peer.peakMemory())
                    }
                    return (kind, figures)
                } catch {
                    report.fail(kind.rawValue, because: "\(error)")
                    return nil
                }
            }
        }
        ours.memory = try cloud.peakMemory()
        for (kind, figures) in theirs { add(ours, kind, figures, &report) }
    }

    /// Lists two directories and reads files. Appends the durations to the figures, except in the first round.
    private func use(_ mount: String, _ round: Int, _ figures: inout Figures) throws {
        // Makes the mount fetch the root's entries before the measurement.
        _ = try FileStatus.of(mount + "/large", followingLinks: false)
        let listings = try Self.options.map { option in
            try Measure.seconds {
                try MountedFiles.list(mount + "/" + Self.folder(round, option), option, atLeast: TransferSizes.entries)
            }
        }
        let small = try Measure.seconds {
            for number in 0..<TransferSizes.smallFiles {
                try MountedFiles.read(mount + "/small/\(number)", size: WebServer.smallSize)
            }
        }
        let large = try Measure.seconds { try MountedFiles.read(mount + "/large", size: TransferSizes.large) }
        guard round > 0 else { return }
        figures.listing.append(listings[0])
        figures.longListing.append(listings[1])
        figures.small.append(small)
        figures.large.append(large)
    }

    private func add(_ ours: Figures, _ kind: WebPeer.Kind, _ theirs: Figures, _ report: inout Report) {
        func add(
            _ name: String, _ unit: Figure.Unit, _ target: Figure.Target, _ value: (Figures) -> Double
        ) {
            report.add(
                name, value(ours), unit, peer: .init(name: kind.rawValue, value: value(theirs)), target: target)
        }
        let listing = kind == .rclone ? Figure.Target.ratioAtMost(1) : .none
        add("ls -f of \(TransferSizes.entries) entries, the first time", .seconds, listing) {
            Measure.median($0.listing)
        }
        add("ls -l of as many, the first time", .seconds, listing) { Measure.median($0.longListing) }
        add("\(TransferSizes.smallFiles) small files that are not local", .seconds, .none) { Measure.median($0.small) }
        add("\(TransferSizes.largeName) that is not local", .bytesPerSecond, .none) {
            Double(TransferSizes.large) / Measure.median($0.large)
        }
        add("memory with all helpers", .bytes, .atMost(Double(150 << 20))) { Double($0.memory) }
    }
}

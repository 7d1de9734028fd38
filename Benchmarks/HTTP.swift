import Glibc
import HTTPTransport
import LinuxSystem

extension Section {
    /// Transfers between `HTTPTransport` and an nginx on this machine, and through a mount, against `curl` with the
    /// same server.
    ///
    /// The times of `curl` include the start of its process, except that for the first byte, which `curl` measures.
    static let http = Section(name: "http") { report in
        guard access(WebServer.curl, X_OK) == 0 else { return report.miss("curl", because: "it is not installed") }
        guard access(WebServer.program, X_OK) == 0 else { return report.miss("nginx", because: "it is not installed") }
        let server = try WebServer(largeSize: TransferSizes.large, smallFiles: TransferSizes.smallFiles)
        try withExtendedLifetime(server) {
            try measureReading(server.site, &report)
            try measureFirstByte(server.site, &report)
            try measureSmallFiles(server.site, &report)
            try measureUpload(of: server.largePath, server.site, &report)
            try measureMount(of: server, largeSize: TransferSizes.large, smallFiles: TransferSizes.smallFiles, &report)
        }
    }

    private static func measureReading(_ site: WebSite, _ report: inout Report) throws {
        let client = try site.client()
        let times = try Measure.medians {
            let response = try AsyncWork.wait { try await client.send(site.request(.get, "large"), to: .nowhere) }
            guard response.status == 200, response.deliveredCount == TransferSizes.large else {
                throw MeasurementError("the server sent \(response.deliveredCount) bytes")
            }
        } _: {
            try WebServer.curl(["--output", "/dev/null", site.address("large")])
        }
        report.add(
            "\(TransferSizes.largeName) read", Double(TransferSizes.large) / times.ours, .bytesPerSecond,
            peer: .init(name: "curl", value: Double(TransferSizes.large) / times.theirs), target: .ratioAtLeast(0.9))
    }

    /// Measures the time until the first byte of a large file over a new connection.
    private static func measureFirstByte(_ site: WebSite, _ report: inout Report) throws {
        var times: (ours: [Double], theirs: [Double]) = ([], [])
        for _ in 0..<21 {
            let client = try site.client()
            times.ours.append(
                try Measure.seconds {
                    try AsyncWork.wait {
                        let stream = try await client.stream(site.request(.get, "large"))
                        guard try await stream.next() != nil else { throw MeasurementError("the file is empty") }
                    }
                })
            client.close()
            times.theirs.append(try WebServer.secondsToFirstByte(of: site.address("large")))
        }
        let theirs = Measure.median(times.theirs)
        report.add(
            "first byte over a new connection", Measure.median(times.ours), .seconds,
            peer: .init(name: "curl", value: theirs), target: .atMost(theirs + 0.005))
    }

    private static func measureSmallFiles(_ site: WebSite, _ report: inout Report) throws {
        let client = try site.client()
        let count = TransferSizes.smallFiles
        let names = "small/[0-\(count - 1)]"
        @Sendable func read(_ number: Int) async throws {
            let response = try await client.send(site.request(.get, "small/\(number)"))
            guard response.body.count == WebServer.smallSize else {
                throw MeasurementError("the server sent \(response.body.count) bytes")
            }
        }
        let single = try Measure.medians {
            try AsyncWork.wait { for number in 0..<count { try await read(number) } }
        } _: {
            try WebServer.curl(["--output", "/dev/null", site.address(names)])
        }
        report.add(
            "\(count) small files over one connection", single.ours, .seconds,
            peer: .init(name: "curl", value: single.theirs), target: .ratioAtMost(1.2))
        let connections = HTTPConfiguration().connectionsPerHost
        let parallel = try Measure.medians {
            try AsyncWork.wait {
                try await withThrowingTaskGroup { group in
                    for number in 0..<count { group.addTask { try await read(number) } }
                    try await group.waitForAll()
                }
            }
        } _: {
            try WebServer.curl([
                "--parallel", "--parallel-max", "\(connections)", "--output", "/dev/null", site.address(names),
            ])
        }
        report.add(
            "\(count) small files in parallel", parallel.ours, .seconds,
            peer: .init(name: "curl --parallel", value: parallel.theirs), target: .ratioAtMost(1.2))
    }

    private static func measureUpload(
        of path: String, _ site: WebSite, _ report: inout Report
    ) throws {
        let client = try site.client()
        let file = try FileDescriptor.open(path, [.readOnly])
        let times = try Measure.medians {
            var request = try site.request(.put, "uploaded")
            request.body = .file(file, offset: 0, count: TransferSizes.large)
            let upload = request
            try AsyncWork.wait { try await client.send(upload) }.requireSuccess()
        } _: {
            try WebServer.curl(["--upload-file", path, site.address("uploaded")])
        }
        report.add(
            "\(TransferSizes.largeName) sent", Double(TransferSizes.large) / times.ours, .bytesPerSecond,
            peer: .init(name: "curl", value: Double(TransferSizes.large) / times.theirs), target: .ratioAtLeast(0.9))
    }
}

import Foundation
import LinuxSystem

/// A child of the demonstration: a process of this program that plays one of the two sides.
///
/// The child reports on its standard output and ends when its standard input closes, so that it never outlives its
/// parent.
final class Role {
    enum Name: String {
        case provider, consumer
    }

    /// The error of a child that ended early, or sent an unexpected report.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ role: Name, _ reason: String = "ended early") {
            description = "the \(role.rawValue): \(reason)"
        }
    }

    private let name: Name
    private let child: Child
    private var received = Data()

    /// Starts the child.
    init(_ name: Name, examples: URL, environment: [String: String]) throws {
        self.name = name
        child = try Child(
            Program.path, ["--\(name.rawValue)", examples.path], environment: environment, hasInput: true)
    }

    /// The child's PID.
    var identifier: Int32 { child.identifier }

    /// Waits for the child's next report.
    func expect() throws -> ChildReport {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                let report = try JSONDecoder().decode(ChildReport.self, from: received[..<end])
                received = Data(received[received.index(after: end)...])
                if case .failed(let reason) = report { throw Failure(name, reason) }
                return report
            }
            let more = try child.read()
            guard !more.isEmpty else { throw Failure(name) }
            received.append(more)
        }
    }

    /// Ends the child by closing its standard input.
    func dismiss() { child.closeInput() }

    /// Waits until the child has ended.
    func wait() -> ChildProgram.Ending { child.wait() }
}

/// The child's side.
extension Role {
    /// Plays a side and ends the process.
    static func play(_ name: Name, examples: URL) async -> Never {
        do {
            switch name {
            case .provider: try await Producer(examples: examples).run()
            case .consumer: try await Consumer(examples: examples).run()
            }
            exit(0)
        } catch {
            try? ChildReport.failed("\(error)").send()
            exit(1)
        }
    }

    /// Waits until the parent closes this process's standard input, or ends.
    static func dismissal() async {
        await withCheckedContinuation { continuation in
            // The read blocks, so it needs a thread of its own.
            Thread.detachNewThread {
                while !FileHandle.standardInput.availableData.isEmpty {}
                continuation.resume()
            }
        }
    }
}

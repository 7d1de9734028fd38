import Exchange
import Foundation
import ItemProvider
import UniformTypeIdentifiers

/// The consuming side: loads every promise in every way, and compares the result with the original.
struct Consumer: Sendable {
    let examples: URL

    /// Finds the promises on the board and runs the loads one after the other.
    func run() async throws {
        let items = try await Demonstration.board.items()
        for load in Load.all {
            guard let item = items.first(where: { $0.suggestedName == load.promise.name }) else {
                try ChildReport.failed("\(load.promise.name) is not on the board").send()
                return
            }
            try ChildReport.arrived(await run(load, on: item)).send()
        }
    }

    /// The result that the completion handler of a load received.
    private struct Outcome: Sendable {
        let end = ContinuousClock.now
        var form: Promise.Form?
        var details = ""
        /// The reason why the result is wrong, or nil if it is as expected.
        var fault: String?
        /// The copy, which must be removed after the handler has returned.
        var temporaryFile: String?

        init(_ work: (inout Outcome) throws -> Void) {
            do { try work(&self) } catch { fault = "\(error)" }
        }
    }

    private func run(_ load: Load, on item: NSItemProvider) async -> ChildReport.Arrival {
        let type = UTType(importedAs: load.representation.type)
        let watch = ProgressWatch()
        let start = ContinuousClock.now
        let outcome: Outcome = await withCheckedContinuation { continuation in
            switch load.delivery {
            case .data:
                watch.follow(
                    item.loadDataRepresentation(for: type) { data, error in
                        continuation.resume(returning: examine(load, data: data, error: error))
                    })
            case .copy, .inPlace:
                let openInPlace = load.delivery == .inPlace
                watch.follow(
                    item.loadFileRepresentation(for: type, openInPlace: openInPlace) { url, isInPlace, error in
                        continuation.resume(
                            returning: examine(load, url: url, isInPlace: isInPlace, error: error))
                    })
            }
        }
        let seconds = (outcome.end - start) / .seconds(1)
        let fraction = await watch.finish()
        var fault = outcome.fault
        if outcome.form != load.expected {
            fault = fault ?? "expected: \(load.expected.rawValue)"
        } else if fraction != 1 {
            fault = fault ?? "its progress did not finish"
        } else if let file = outcome.temporaryFile, await !isGone(file) {
            fault = fault ?? "the copy was left behind"
        }
        let goodCheck = outcome.form == .inPlace ? "the same file" : "same contents"
        return ChildReport.Arrival(
            form: outcome.form?.rawValue, details: outcome.details, seconds: seconds, fraction: fraction,
            check: fault ?? goodCheck, isGood: fault == nil)
    }

    private func examine(_ load: Load, data: Data?, error: (any Error)?) -> Outcome {
        Outcome { outcome in
            guard let data else { throw error ?? CocoaError(.featureUnsupported) }
            outcome.form = .data
            outcome.details = "\(data.count) bytes"
            switch load.representation.source {
            case .file(let path):
                let original = try Data(contentsOf: examples.appendingPathComponent(path))
                outcome.fault = data == original ? nil : "other bytes"
            case .folder(let path):
                outcome.details += " of zip"
                outcome.fault = try FileComparison.difference(examples.appendingPathComponent(path).path, archive: data)
            case .noise(let size):
                outcome.fault = Noise.matches(data, size: size) ? nil : "other bytes"
            }
        }
    }

    private func examine(_ load: Load, url: URL?, isInPlace: Bool, error: (any Error)?) -> Outcome {
        Outcome { outcome in
            guard let url else { throw error ?? CocoaError(.featureUnsupported) }
            switch load.representation.source {
            case .file(let path), .folder(let path):
                let original = examples.appendingPathComponent(path).path
                if isInPlace {
                    outcome.form = .inPlace
                    outcome.details = "\(examples.lastPathComponent)/\(path)"
                    outcome.fault = FileComparison.areSameFile(original, url.path) ? nil : "another file"
                } else {
                    outcome.form = .copy
                    outcome.details = "…/\(url.lastPathComponent)"
                    outcome.temporaryFile = url.path
                    outcome.fault =
                        if FileComparison.areSameFile(original, url.path) {
                            "the original, not a copy"
                        } else {
                            try FileComparison.difference(
                                original, url.path, permissions: load.representation.form != .data)
                        }
                }
            case .noise:
                throw CocoaError(.featureUnsupported)
            }
        }
    }

    /// Whether a file is removed within two seconds. The removal may happen a moment after the completion handler has
    /// returned.
    private func isGone(_ path: String) async -> Bool {
        for _ in 0..<200 {
            if !FileManager.default.fileExists(atPath: path) { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }
}

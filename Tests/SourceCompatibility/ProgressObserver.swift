// swift-format-ignore-file

import Foundation
import UniformTypeIdentifiers

/// An observer of a load's progress.
final class ProgressObserver: @unchecked Sendable {
    private var observation: NSKeyValueObservation?
    private(set) var fractions: [Double] = []

    func load(_ provider: NSItemProvider, completion: @escaping @Sendable (Data?) -> Void, finished: @escaping @Sendable () -> Void) {
        let progress = provider.loadDataRepresentation(forTypeIdentifier: UTType.data.identifier) { data, error in
            completion(data)
        }
        observation = progress.observe(\.fractionCompleted, options: [.initial, .new]) { [weak self] progress, change in
            guard let fraction = change.newValue else { return }
            self?.fractions.append(fraction)
            if fraction == 1 { finished() }
        }
    }

    func stop() {
        observation?.invalidate()
        observation = nil
    }
}

import Foundation
import FoundationAdditions
import ItemProvider

/// The common part of the sessions that represent a drag to its source and to its destination.
@MainActor package class DragDropSession: NSObject {
    package let items: [UIDragItem]
    package fileprivate(set) var allowsMoveOperation: Bool
    package fileprivate(set) var isRestrictedToDraggingApplication: Bool

    init(items: [UIDragItem], allowsMove: Bool, isRestricted: Bool) {
        self.items = items
        allowsMoveOperation = allowsMove
        isRestrictedToDraggingApplication = isRestricted
        super.init()
    }

    func set(allowsMove: Bool, isRestricted: Bool) {
        allowsMoveOperation = allowsMove
        isRestrictedToDraggingApplication = isRestricted
    }

    package func hasItemsConforming(toTypeIdentifiers typeIdentifiers: [String]) -> Bool {
        items.contains { item in
            typeIdentifiers.contains { item.itemProvider.hasItemConformingToTypeIdentifier($0) }
        }
    }

    package func canLoadObjects(ofClass aClass: any NSItemProviderReading.Type) -> Bool {
        items.contains { $0.itemProvider.canLoadObject(ofClass: aClass) }
    }
}

/// The session that represents a drag to its source, which is in this process.
@MainActor package final class SourceSession: DragDropSession, UIDragSession {
    package var localContext: Any?
}

/// The session that represents a drag to its destination, which is in this process.
@MainActor package final class DestinationSession: DragDropSession, UIDropSession {
    package nonisolated let progress: Progress = LoadProgress(units: 0)
    package let localDragSession: (any UIDragSession)?
    package var progressIndicatorStyle = UIDropSessionProgressIndicatorStyle.default
    /// The number of loads that have begun and not ended.
    private var pending = 0
    private var whenLoaded: (() -> Void)?

    init(_ items: [UIDragItem], allowsMove: Bool, isRestricted: Bool, source: SourceSession?) {
        localDragSession = source
        super.init(items: items, allowsMove: allowsMove, isRestricted: isRestricted)
    }

    package func loadObjects(
        ofClass aClass: any NSItemProviderReading.Type, completion: @escaping ([any NSItemProviderReading]) -> Void
    ) -> Progress {
        let providers = items.map(\.itemProvider).filter { $0.canLoadObject(ofClass: aClass) }
        let all = LoadProgress(units: Int64(providers.count))
        let collected = CollectedObjects(count: providers.count, completion)
        progress.totalUnitCount += 1
        pending += 1
        if providers.isEmpty { Task { self.finish(collected) } }
        let loads = providers.enumerated().map { index, provider in
            provider.loadObject(ofClass: aClass) { object, _ in
                let object = object.map { Disconnected($0) }
                Task { @MainActor in
                    all.completedUnitCount += 1
                    if collected.add(object?.value, at: index) { self.finish(collected) }
                }
            }
        }
        all.cancellationHandler = { for load in loads { load.cancel() } }
        return all
    }

    private func finish(_ collected: CollectedObjects) {
        progress.completedUnitCount += 1
        collected.complete()
        pending -= 1
        if pending == 0 {
            whenLoaded?()
            whenLoaded = nil
        }
    }

    /// Calls a function once all loads have ended.
    func afterLoading(_ body: @escaping () -> Void) {
        if pending == 0 { body() } else { whenLoaded = body }
    }
}

/// The objects that are loaded from the items of a drop. They arrive in any order, and are passed on in the items'
/// order.
@MainActor private final class CollectedObjects {
    private var objects: [(any NSItemProviderReading)?]
    private var missing: Int
    private let completion: ([any NSItemProviderReading]) -> Void

    init(count: Int, _ completion: @escaping ([any NSItemProviderReading]) -> Void) {
        objects = Array(repeating: nil, count: count)
        missing = count
        self.completion = completion
    }

    /// Adds the object of the item at `index`, or `nil` if it could not be loaded. Returns whether this was the last
    /// outstanding object.
    func add(_ object: (any NSItemProviderReading)?, at index: Int) -> Bool {
        objects[index] = object
        missing -= 1
        return missing == 0
    }

    func complete() { completion(objects.compactMap { $0 }) }
}

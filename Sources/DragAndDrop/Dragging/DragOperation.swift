import Dispatch
import Foundation
import ItemProvider
import UniformTypeIdentifiers

/// A drag from its beginning to its end, driven by a toolkit or a test.
///
/// Other processes find the drag on the board ``board``. The board has the items, and after them a control item of type
/// ``controlType``. The control item returns the state of the drag and accepts its outcome. The state and the outcome
/// need an item, because a board passes only items to other processes. A drag that has ended cannot be dropped, and is
/// removed from the board.
@MainActor package final class DragOperation {
    nonisolated package static let board = "drag"
    nonisolated static let controlType = "org.purvey.drag-session"
    nonisolated static let outcomePrefix = "org.purvey.drag-outcome."

    package let session: SourceSession
    private let interaction: UIDragInteraction
    private let boards: any ItemBoards
    private let publication: DragPublication
    /// The time for which the items can still be opened after another process has reported the outcome, because that
    /// process's requests for the items may arrive after its report.
    private let grace: DispatchTimeInterval
    /// Whether the drag has ended, so that it cannot be dropped any more.
    var hasEnded: Bool { publication.hasEnded }

    /// Begins a drag; `nil` if the source has nothing to drag, or permits no drag.
    package init?(
        _ interaction: UIDragInteraction, boards: any ItemBoards = SharedBoards.current,
        grace: DispatchTimeInterval = .seconds(10)
    ) {
        guard interaction.isEnabled, let delegate = interaction.delegate else { return nil }
        let probe = SourceSession(items: [], allowsMove: true, isRestricted: false)
        let items = delegate.dragInteraction(interaction, itemsForBeginning: probe)
        guard !items.isEmpty else { return nil }
        let session = SourceSession(items: items, allowsMove: true, isRestricted: false)
        session.localContext = probe.localContext
        session.set(
            allowsMove: delegate.dragInteraction(interaction, sessionAllowsMoveOperation: session),
            isRestricted: delegate.dragInteraction(interaction, sessionIsRestrictedToDraggingApplication: session))
        self.session = session
        self.interaction = interaction
        self.boards = boards
        self.grace = grace
        publication = DragPublication(boards)
        delegate.dragInteraction(interaction, sessionWillBegin: session)
    }

    /// Makes the drag visible to other processes, unless its source restricts it to this process. Blocks until the
    /// daemon replies.
    package func publish() throws {
        guard !session.isRestrictedToDraggingApplication, !hasEnded else { return }
        let items = session.items.map(\.itemProvider) + [control()]
        publication.published(try boards.replace(Self.board, with: items, staysAfterwards: false))
    }

    /// Reports to the source that the drag has moved.
    package func move() { interaction.delegate?.dragInteraction(interaction, sessionDidMove: session) }

    /// Ends the drag, with the destination's operation. Only the first call has an effect. If the drag was published,
    /// removes it from the board, and blocks until the daemon replies.
    ///
    /// - Parameter hasTransferred: whether the destination has loaded all items.
    /// - Returns: the operation that the source was notified of; `cancel` if the drag had ended before.
    @discardableResult
    package func end(_ operation: UIDropOperation, hasTransferred: Bool = true) -> UIDropOperation {
        guard !hasEnded else { return .cancel }
        let outcome = finish(operation, hasTransferred: hasTransferred)
        publication.withdraw()
        return outcome
    }

    /// Ends the drag after a drop in another process, which may still open the items that it has requested.
    private func endElsewhere(_ operation: UIDropOperation) -> UIDropOperation {
        guard operation == .copy || operation == .move else { return end(operation) }
        guard !hasEnded else { return .cancel }
        // The closure retains the publication for this time, even if the drag is released.
        DispatchQueue.global().asyncAfter(deadline: .now() + grace) { [publication] in publication.withdraw() }
        // Items are never moved from one process to another.
        return finish(.copy, hasTransferred: true)
    }

    private func finish(_ operation: UIDropOperation, hasTransferred: Bool) -> UIDropOperation {
        publication.end()
        // If the source does not allow a move, the items were copied.
        let outcome = operation == .move && !session.allowsMoveOperation ? .copy : operation
        interaction.delegate?.dragInteraction(interaction, session: session, willEndWith: outcome)
        interaction.delegate?.dragInteraction(interaction, session: session, didEndWith: outcome)
        if hasTransferred, outcome == .copy || outcome == .move { transferred() }
        return outcome
    }

    private func transferred() {
        interaction.delegate?.dragInteraction(interaction, sessionDidTransferItems: session)
    }

    /// Returns the item through which another process reads the state of the drag and ends the drag. The item has a
    /// type for each outcome. The other process reports an outcome by loading the type of that outcome.
    private func control() -> NSItemProvider {
        let control = NSItemProvider()
        let allowsMove = session.allowsMoveOperation
        control.registerItem(forTypeIdentifier: Self.controlType) { [weak publication] completion, _, _ in
            let hasEnded = publication?.hasEnded ?? true
            completion?(["allowsMove": allowsMove, "hasEnded": hasEnded] as NSDictionary, nil)
        }
        for operation in [UIDropOperation.cancel, .forbidden, .copy, .move] {
            control.registerDataRepresentation(
                forTypeIdentifier: "\(Self.outcomePrefix)\(operation.rawValue)", visibility: .all
            ) { [weak self] completion in
                Task { @MainActor in
                    let outcome = self?.endElsewhere(operation) ?? .cancel
                    completion(Data([UInt8(outcome.rawValue)]), nil)
                }
                return nil
            }
        }
        return control
    }
}

/// A drag over a destination, driven by a toolkit or a test.
@MainActor package final class DropOperation {
    package let session: DestinationSession
    private let interaction: UIDropInteraction
    /// The drag, if it began in this process; otherwise `nil`.
    private let source: DragOperation?
    /// The control item of a drag that began in another process; otherwise `nil`.
    private let control: NSItemProvider?
    private var isInside = false

    /// Creates the operation for a drag of this process; `nil` if the destination does not accept it, or if the drag
    /// has ended.
    package convenience init?(_ interaction: UIDropInteraction, _ drag: DragOperation) {
        guard !drag.hasEnded else { return nil }
        let session = DestinationSession(
            drag.session.items, allowsMove: drag.session.allowsMoveOperation,
            isRestricted: drag.session.isRestrictedToDraggingApplication, source: drag.session)
        self.init(interaction, session, drag, nil)
    }

    /// Returns the operation for the drag of another process; `nil` if no drag is in progress, or if the destination
    /// does not accept it. Blocks until the daemon replies.
    package static func remote(
        _ interaction: UIDropInteraction, boards: any ItemBoards = SharedBoards.current
    ) async throws -> DropOperation? {
        var items = try boards.items(of: DragOperation.board)
        guard let control = items.popLast(), control.hasItemConformingToTypeIdentifier(DragOperation.controlType) else {
            return nil
        }
        let state = try await control.loadItem(forTypeIdentifier: DragOperation.controlType) as? NSDictionary
        if state?["hasEnded"] as? Bool == true { return nil }
        let session = DestinationSession(
            items.map { UIDragItem(itemProvider: $0) }, allowsMove: state?["allowsMove"] as? Bool ?? false,
            isRestricted: false, source: nil)
        return DropOperation(interaction, session, nil, control)
    }

    private init?(
        _ interaction: UIDropInteraction, _ session: DestinationSession, _ source: DragOperation?,
        _ control: NSItemProvider?
    ) {
        guard interaction.delegate?.dropInteraction(interaction, canHandle: session) == true else { return nil }
        self.interaction = interaction
        self.session = session
        self.source = source
        self.control = control
    }

    /// Returns the effect that a drop would have. The first call means that the drag has entered the destination.
    package func update() -> UIDropProposal {
        guard let delegate = interaction.delegate else { return UIDropProposal(operation: .cancel) }
        if !isInside {
            isInside = true
            delegate.dropInteraction(interaction, sessionDidEnter: session)
        }
        let proposal = delegate.dropInteraction(interaction, sessionDidUpdate: session)
        guard proposal.operation == .move else { return proposal }
        // As in UIKit, a move that the source does not allow is cancelled, and a move between programs becomes a copy.
        if !session.allowsMoveOperation { return UIDropProposal(operation: .cancel) }
        if control == nil { return proposal }
        let copying = UIDropProposal(operation: .copy)
        copying.isPrecise = proposal.isPrecise
        copying.prefersFullSizePreview = proposal.prefersFullSizePreview
        return copying
    }

    /// Reports that the drag has left the destination.
    package func exit() {
        guard isInside else { return }
        isInside = false
        interaction.delegate?.dropInteraction(interaction, sessionDidExit: session)
    }

    /// Drops the items on the destination, and waits until the destination has loaded everything.
    ///
    /// - Returns: the operation that was reported to the source; `cancel` if the drag had ended before this call.
    @discardableResult
    package func perform() async -> UIDropOperation {
        let operation = source?.hasEnded == true ? .cancel : update().operation
        let isDone = operation == .copy || operation == .move
        if isDone {
            interaction.delegate?.dropInteraction(interaction, performDrop: session)
            interaction.delegate?.dropInteraction(interaction, concludeDrop: session)
            await withCheckedContinuation { continuation in session.afterLoading { continuation.resume() } }
        }
        let outcome = await tell(isDone ? operation : .cancel)
        interaction.delegate?.dropInteraction(interaction, sessionDidEnd: session)
        return outcome
    }

    private func tell(_ operation: UIDropOperation) async -> UIDropOperation {
        if let source { return source.end(operation) }
        guard let control else { return operation }
        let answer: Data? = await withCheckedContinuation { continuation in
            _ = control.loadDataRepresentation(
                forTypeIdentifier: "\(DragOperation.outcomePrefix)\(operation.rawValue)"
            ) { data, _ in continuation.resume(returning: data) }
        }
        // If there was no reply, the source's process has ended and needs no report.
        return answer?.first.flatMap { UIDropOperation(rawValue: UInt($0)) } ?? operation
    }
}

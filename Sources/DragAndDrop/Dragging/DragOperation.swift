import Foundation
import ItemProvider
import UniformTypeIdentifiers

/// A drag from its beginning to its end, driven by whatever shows it to a person: a toolkit, or a test.
///
/// Other processes find it on the board ``board``: the items, and behind them one of type ``controlType`` that tells what may
/// be done and takes the outcome. Nothing but items ever crosses.
@MainActor package final class DragOperation {
    nonisolated package static let board = "drag"
    nonisolated static let controlType = "org.purvey.drag-session"
    nonisolated static let outcomePrefix = "org.purvey.drag-outcome."

    package let session: SourceSession
    private let interaction: UIDragInteraction
    private let boards: any ItemBoards
    private var hasEnded = false

    /// Begins a drag; `nil` when the source has nothing to drag, or lets no drag begin.
    package init?(_ interaction: UIDragInteraction, boards: any ItemBoards = SharedBoards.current) {
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
        delegate.dragInteraction(interaction, sessionWillBegin: session)
    }

    /// Lets other processes see the drag, unless the source keeps it to itself. Blocks for the daemon's answer.
    package func publish() throws {
        guard !session.isRestrictedToDraggingApplication else { return }
        try boards.replace(Self.board, with: session.items.map(\.itemProvider) + [control()], staysAfterwards: false)
    }

    /// The drag has moved.
    package func move() { interaction.delegate?.dragInteraction(interaction, sessionDidMove: session) }

    /// Ends the drag, with what the destination did. Only the first time counts.
    ///
    /// - Parameter hasTransferred: whether the destination has all it wanted by now.
    package func end(_ operation: UIDropOperation, hasTransferred: Bool = true) {
        guard !hasEnded else { return }
        hasEnded = true
        // A source that does not allow a move was copied from.
        let outcome = operation == .move && !session.allowsMoveOperation ? .copy : operation
        interaction.delegate?.dragInteraction(interaction, session: session, willEndWith: outcome)
        interaction.delegate?.dragInteraction(interaction, session: session, didEndWith: outcome)
        if hasTransferred, outcome == .copy || outcome == .move { transferred() }
    }

    private func transferred() {
        interaction.delegate?.dragInteraction(interaction, sessionDidTransferItems: session)
    }

    /// The item through which another process looks at the drag and ends it: loading an outcome is telling it.
    private func control() -> NSItemProvider {
        let control = NSItemProvider()
        let allowsMove = session.allowsMoveOperation
        control.registerItem(forTypeIdentifier: Self.controlType) { completion, _, _ in
            completion?(["allowsMove": allowsMove] as NSDictionary, nil)
        }
        for operation in [UIDropOperation.cancel, .forbidden, .copy, .move] {
            control.registerDataRepresentation(
                forTypeIdentifier: "\(Self.outcomePrefix)\(operation.rawValue)", visibility: .all
            ) { [weak self] completion in
                Task { @MainActor in
                    self?.end(operation)
                    completion(Data(), nil)
                }
                return nil
            }
        }
        return control
    }
}

/// A drag over a destination, driven by whatever shows it to a person.
@MainActor package final class DropOperation {
    package let session: DestinationSession
    private let interaction: UIDropInteraction
    /// The drag, when it is of this process.
    private let source: DragOperation?
    /// The control item of a drag of another process.
    private let control: NSItemProvider?
    private var isInside = false

    /// A drag of this process comes over a destination; `nil` when that has no interest.
    package convenience init?(_ interaction: UIDropInteraction, _ drag: DragOperation) {
        let session = DestinationSession(
            drag.session.items, allowsMove: drag.session.allowsMoveOperation,
            isRestricted: drag.session.isRestrictedToDraggingApplication, source: drag.session)
        self.init(interaction, session, drag, nil)
    }

    /// The drag of another process comes over a destination; `nil` when there is none, or the destination has no interest.
    /// Blocks for the daemon's answer.
    package static func remote(
        _ interaction: UIDropInteraction, boards: any ItemBoards = SharedBoards.current
    ) async throws -> DropOperation? {
        var items = try boards.items(of: DragOperation.board)
        guard let control = items.popLast(), control.hasItemConformingToTypeIdentifier(DragOperation.controlType) else {
            return nil
        }
        let state = try await control.loadItem(forTypeIdentifier: DragOperation.controlType) as? NSDictionary
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

    /// What a drop would do here. The first time, the drag has just come over the destination.
    package func update() -> UIDropProposal {
        guard let delegate = interaction.delegate else { return UIDropProposal(operation: .cancel) }
        if !isInside {
            isInside = true
            delegate.dropInteraction(interaction, sessionDidEnter: session)
        }
        let proposal = delegate.dropInteraction(interaction, sessionDidUpdate: session)
        if proposal.operation == .move, !session.allowsMoveOperation { return UIDropProposal(operation: .forbidden) }
        return proposal
    }

    /// The drag has left the destination.
    package func exit() {
        guard isInside else { return }
        isInside = false
        interaction.delegate?.dropInteraction(interaction, sessionDidExit: session)
    }

    /// Drops the items here.
    ///
    /// - Returns: what was done; the source is told once everything that the destination wants has come.
    @discardableResult
    package func perform() async -> UIDropOperation {
        let operation = update().operation
        let isDone = operation == .copy || operation == .move
        if isDone {
            interaction.delegate?.dropInteraction(interaction, performDrop: session)
            interaction.delegate?.dropInteraction(interaction, concludeDrop: session)
            await withCheckedContinuation { continuation in session.afterLoading { continuation.resume() } }
        }
        await tell(isDone ? operation : .cancel)
        interaction.delegate?.dropInteraction(interaction, sessionDidEnd: session)
        return isDone ? operation : .cancel
    }

    private func tell(_ operation: UIDropOperation) async {
        source?.end(operation)
        guard let control else { return }
        // A source that has gone needs to know nothing any more.
        await withCheckedContinuation { continuation in
            _ = control.loadDataRepresentation(
                forTypeIdentifier: "\(DragOperation.outcomePrefix)\(operation.rawValue)"
            ) { _, _ in continuation.resume() }
        }
    }
}

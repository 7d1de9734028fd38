import Dispatch
import Foundation
import ItemProvider
import UniformTypeIdentifiers

/// A drag from its beginning to its end, driven by whatever shows it to a person: a toolkit, or a test.
///
/// Other processes find it on the board ``board``: the items, and behind them one of type ``controlType`` that tells what may
/// be done and takes the outcome. Nothing but items ever crosses. A drag that has ended cannot be dropped, and leaves the board.
@MainActor package final class DragOperation {
    nonisolated package static let board = "drag"
    nonisolated static let controlType = "org.purvey.drag-session"
    nonisolated static let outcomePrefix = "org.purvey.drag-outcome."

    package let session: SourceSession
    private let interaction: UIDragInteraction
    private let boards: any ItemBoards
    private let publication: DragPublication
    /// How long the items can still be opened after another process has said that it has what it wanted: what it asked for by the
    /// items themselves may just be on its way.
    private let grace: DispatchTimeInterval
    /// Whether it can be dropped no more.
    var hasEnded: Bool { publication.hasEnded }

    /// Begins a drag; `nil` when the source has nothing to drag, or lets no drag begin.
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

    /// Lets other processes see the drag, unless the source keeps it to itself. Blocks for the daemon's answer.
    package func publish() throws {
        guard !session.isRestrictedToDraggingApplication, !hasEnded else { return }
        let items = session.items.map(\.itemProvider) + [control()]
        publication.published(try boards.replace(Self.board, with: items, staysAfterwards: false))
    }

    /// The drag has moved.
    package func move() { interaction.delegate?.dragInteraction(interaction, sessionDidMove: session) }

    /// Ends the drag, with what the destination did. Only the first time counts. Blocks for the daemon's answer where the drag was
    /// published: it is taken off the board.
    ///
    /// - Parameter hasTransferred: whether the destination has all it wanted by now.
    /// - Returns: what the source took it for; `cancel` for a drag that had ended.
    @discardableResult
    package func end(_ operation: UIDropOperation, hasTransferred: Bool = true) -> UIDropOperation {
        guard !hasEnded else { return .cancel }
        let outcome = finish(operation, hasTransferred: hasTransferred)
        publication.withdraw()
        return outcome
    }

    /// The same for a drop in another process, which may still open what it has asked for.
    private func endElsewhere(_ operation: UIDropOperation) -> UIDropOperation {
        guard operation == .copy || operation == .move else { return end(operation) }
        guard !hasEnded else { return .cancel }
        // The publication is kept until then, whatever becomes of the drag.
        DispatchQueue.global().asyncAfter(deadline: .now() + grace) { [publication] in publication.withdraw() }
        // Nothing is moved from one process to another.
        return finish(.copy, hasTransferred: true)
    }

    private func finish(_ operation: UIDropOperation, hasTransferred: Bool) -> UIDropOperation {
        publication.end()
        // A source that does not allow a move was copied from.
        let outcome = operation == .move && !session.allowsMoveOperation ? .copy : operation
        interaction.delegate?.dragInteraction(interaction, session: session, willEndWith: outcome)
        interaction.delegate?.dragInteraction(interaction, session: session, didEndWith: outcome)
        if hasTransferred, outcome == .copy || outcome == .move { transferred() }
        return outcome
    }

    private func transferred() {
        interaction.delegate?.dragInteraction(interaction, sessionDidTransferItems: session)
    }

    /// The item through which another process looks at the drag and ends it: loading an outcome is telling it.
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

/// A drag over a destination, driven by whatever shows it to a person.
@MainActor package final class DropOperation {
    package let session: DestinationSession
    private let interaction: UIDropInteraction
    /// The drag, when it is of this process.
    private let source: DragOperation?
    /// The control item of a drag of another process.
    private let control: NSItemProvider?
    private var isInside = false

    /// A drag of this process comes over a destination; `nil` when that has no interest, or the drag has ended.
    package convenience init?(_ interaction: UIDropInteraction, _ drag: DragOperation) {
        guard !drag.hasEnded else { return nil }
        let session = DestinationSession(
            drag.session.items, allowsMove: drag.session.allowsMoveOperation,
            isRestricted: drag.session.isRestrictedToDraggingApplication, source: drag.session)
        self.init(interaction, session, drag, nil)
    }

    /// The drag of another process comes over a destination; `nil` when there is none that has not ended, or the destination
    /// has no interest. Blocks for the daemon's answer.
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

    /// What a drop would do here. The first time, the drag has just come over the destination.
    package func update() -> UIDropProposal {
        guard let delegate = interaction.delegate else { return UIDropProposal(operation: .cancel) }
        if !isInside {
            isInside = true
            delegate.dropInteraction(interaction, sessionDidEnter: session)
        }
        let proposal = delegate.dropInteraction(interaction, sessionDidUpdate: session)
        guard proposal.operation == .move else { return proposal }
        // As UIKit has it: what the source does not allow is called off, and between programs everything is a copy.
        if !session.allowsMoveOperation { return UIDropProposal(operation: .cancel) }
        if control == nil { return proposal }
        let copying = UIDropProposal(operation: .copy)
        copying.isPrecise = proposal.isPrecise
        copying.prefersFullSizePreview = proposal.prefersFullSizePreview
        return copying
    }

    /// The drag has left the destination.
    package func exit() {
        guard isInside else { return }
        isInside = false
        interaction.delegate?.dropInteraction(interaction, sessionDidExit: session)
    }

    /// Drops the items here.
    ///
    /// - Returns: what the source took it for, which is told once everything that the destination wants has come: `cancel` where the
    ///   drag had ended by then.
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
        // A source that has gone needs to know nothing any more.
        return answer?.first.flatMap { UIDropOperation(rawValue: UInt($0)) } ?? operation
    }
}

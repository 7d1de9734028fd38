import CAdwaita
import FileBrowser
import FileProviderGTK

/// A listing as a `GListModel`. Its objects are created when a view requests them, and contain no data. A view reads
/// the item of a row from the listing. Therefore 100,000 rows need no memory beyond that of their items.
///
/// GTK creates some 200 cells for a model, although fewer than 40 fit in a window. Therefore the model of a new
/// location begins with the rows that fit, and grows with each frame, so that the first rows are drawn sooner.
@MainActor final class RowModel {
    /// The `GListModel`.
    let pointer: OpaquePointer
    let listing: ItemListing
    /// The number of rows of the model. They are the first rows of the listing.
    private(set) var count = 0
    private var limit = Int.max

    init(_ listing: ItemListing) {
        self.listing = listing
        guard let object = g_object_new_with_properties(Self.type, 0, nil, nil) else {
            preconditionFailure("GLib has registered the type")  // On failure, GLib ends the process.
        }
        pointer = OpaquePointer(object)
        g_object_set_data(object, Self.key, Unmanaged.passUnretained(self).toOpaque())
    }

    isolated deinit {
        let object = pointer.object(as: GObject.self)
        g_object_set_data(object, Self.key, nil)
        g_object_unref(object)
    }

    func changed(_ change: ItemListing.Change) {
        let former = count
        count = min(listing.count, limit)
        if limit == .max {
            report(change.position, removed: change.removed, added: change.added)
        } else {
            let position = min(change.position, former, count)
            report(position, removed: former - position, added: count - position)
        }
    }

    private func report(_ position: Int, removed: Int, added: Int) {
        guard removed > 0 || added > 0 else { return }
        g_list_model_items_changed(pointer, guint(position), guint(removed), guint(added))
    }

    // MARK: Growth

    /// Whether the model may have fewer rows than the listing.
    var isLimited: Bool { limit != .max }

    /// The limit at which all remaining rows are added at once. GTK creates fewer cells than this, so that a higher
    /// limit would save nothing.
    private static let mostCells = 240

    /// Limits the number of rows that are added next. Does nothing if the model already has rows.
    func limit(to count: Int) {
        if self.count == 0 { limit = count }
    }

    /// Adds more rows to a model with limited rows.
    ///
    /// - Returns: whether the number of rows is still limited.
    func grow(by added: Int) -> Bool {
        guard limit < Self.mostCells - added else {
            showAll()
            return false
        }
        limit += added
        addRows()
        return true
    }

    /// Removes the limit on the number of rows.
    func showAll() {
        guard limit != .max else { return }
        limit = .max
        addRows()
    }

    private func addRows() {
        let former = count
        count = min(listing.count, limit)
        report(former, removed: 0, added: count - former)
    }

    // MARK: The class in GLib

    private static let key = "purvey-rows"

    private static let type: GType = {
        let type = g_type_register_static_simple(
            g_object_get_type(), "PurveyRowModel", guint(MemoryLayout<GObjectClass>.size), nil,
            guint(MemoryLayout<GObject>.size), nil, GTypeFlags(rawValue: 0))
        var interface = GInterfaceInfo()
        interface.interface_init = { interface, _ in
            guard let interface else { return }
            let table = interface.assumingMemoryBound(to: GListModelInterface.self)
            table.pointee.get_item_type = { _ in g_object_get_type() }
            table.pointee.get_n_items = { model in RowModel.count(of: model) }
            table.pointee.get_item = { model, position in
                position < RowModel.count(of: model)
                    ? g_object_new_with_properties(g_object_get_type(), 0, nil, nil).map { gpointer($0) } : nil
            }
        }
        g_type_add_interface_static(type, g_list_model_get_type(), &interface)
        return type
    }()

    /// Returns the number of rows. GTK calls this function on the main thread.
    private nonisolated static func count(of model: OpaquePointer?) -> guint {
        guard let model, let data = g_object_get_data(model.object(as: GObject.self), "purvey-rows") else { return 0 }
        let rows = Unmanaged<RowModel>.fromOpaque(data).takeUnretainedValue()
        return MainActor.assumeIsolated { guint(rows.count) }
    }
}

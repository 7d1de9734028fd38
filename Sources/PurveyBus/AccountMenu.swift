import CGIO

/// The menu that file managers show for a domain among their places. The menu is exported with GLib's interfaces
/// `org.gtk.Menus` and `org.gtk.Actions`. Used only on the thread of GLib's main loop.
final class AccountMenu {
    /// An action that the user can choose in the menu.
    enum Action: String, CaseIterable {
        case pause, resume, retry

        /// The label in the menu. An underscore precedes the mnemonic letter.
        fileprivate var label: String {
            switch self {
            case .pause: "_Pause Transfers"
            case .resume: "_Resume Transfers"
            case .retry: "Re_try Failed Transfers"
            }
        }
    }

    /// The prefix that GTK and Nautilus give to the actions of an account.
    private static let prefix = "cloudprovider."

    private let connection: OpaquePointer
    /// A GSimpleActionGroup, which is both an action group and an action map.
    private let group: OpaquePointer
    private let menu: OpaquePointer
    private var actions: [Action: OpaquePointer] = [:]
    /// GLib's identifiers of the exported menu and actions, for ending the exports.
    private var exports: (menu: UInt32, actions: UInt32) = (0, 0)

    /// The data that GLib passes to the handler of a menu item: the action, and the path of the domain's object.
    private final class Receiver {
        let bus: DesktopBus
        let path: String
        let action: Action

        init(_ bus: DesktopBus, _ path: String, _ action: Action) {
            self.bus = bus
            self.path = path
            self.action = action
        }
    }

    /// Exports the menu of the domain whose object has the given path.
    init?(of path: String, over connection: OpaquePointer, for bus: DesktopBus) {
        guard let group = g_simple_action_group_new(), let menu = g_menu_new() else { return nil }
        self.connection = connection
        self.group = OpaquePointer(group)
        self.menu = menu
        for action in Action.allCases {
            guard let simple = g_simple_action_new(action.rawValue, nil) else { continue }
            Self.connect(simple, to: Receiver(bus, path, action))
            g_action_map_add_action(self.group, simple)
            g_menu_append(menu, action.label, Self.prefix + action.rawValue)
            actions[action] = simple
        }
        exports.actions = g_dbus_connection_export_action_group(connection, path, self.group, nil)
        exports.menu = g_dbus_connection_export_menu_model(
            connection, path, UnsafeMutableRawPointer(menu).assumingMemoryBound(to: GMenuModel.self), nil)
    }

    deinit {
        if exports.menu != 0 { g_dbus_connection_unexport_menu_model(connection, exports.menu) }
        if exports.actions != 0 { g_dbus_connection_unexport_action_group(connection, exports.actions) }
        for object in Array(actions.values) + [menu, group] { g_object_unref(UnsafeMutableRawPointer(object)) }
    }

    /// Enables the actions that apply to the state of the domain.
    func update(isPaused: Bool, hasFaults: Bool) {
        for (action, isEnabled) in [(Action.pause, !isPaused), (.resume, isPaused), (.retry, hasFaults)] {
            if let simple = actions[action] { g_simple_action_set_enabled(simple, isEnabled ? 1 : 0) }
        }
    }

    private static func connect(_ action: OpaquePointer, to receiver: Receiver) {
        let handler: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in
            guard let data else { return }
            let receiver = Unmanaged<Receiver>.fromOpaque(data).takeUnretainedValue()
            let (path, action) = (receiver.path, receiver.action)
            receiver.bus.assumeIsolated { $0.perform(action, ofObject: path) }
        }
        let release: GClosureNotify = { data, _ in
            if let data { Unmanaged<Receiver>.fromOpaque(data).release() }
        }
        // SAFETY: GLib calls the handler with the arguments of the signal (the action and its parameter) and the user
        // data.
        let callback = unsafeBitCast(handler, to: GCallback.self)
        g_signal_connect_data(
            UnsafeMutableRawPointer(action), "activate", callback, Unmanaged.passRetained(receiver).toOpaque(), release,
            GConnectFlags(rawValue: 0))
    }
}

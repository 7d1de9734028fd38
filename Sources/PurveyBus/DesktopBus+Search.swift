import CGIO
import DomainMessages
import ItemValues
import LinuxSystem

/// Serves the search of GNOME's shell, through the interface `org.gnome.Shell.SearchProvider2`. A result is an item,
/// and its identifier is `DOMAIN:PATH`. Only the index is searched; no request is sent to a provider.
extension DesktopBus {
    /// The maximum number of results of a search. The shell shows fewer.
    private static let mostResults = 32

    /// Returns the results of a search for all of the given words. A search among earlier results is answered by a new
    /// search.
    func search(_ words: [String]) async throws(BusError) -> BusValue {
        guard words.contains(where: { !$0.allSatisfy(\.isWhitespace) }) else { return .tuple([.strings([])]) }
        let call = SearchCall(
            domain: nil, words: words, types: [], tags: [], since: nil, before: nil, limit: Self.mostResults)
        return .tuple([.strings(try await ask(call).items.map { "\($0.domain):\($0.path)" })])
    }

    /// Returns the names, folders and icons of results. Items that are gone are left out.
    func descriptions(ofResults results: [String]) async throws(BusError) -> BusValue {
        let places = try places(of: results)
        let standings = try await ask(ItemStatesCall(places: places)).standings
        let descriptions = zip(results, standings).compactMap { result, standing in
            standing.item.map { Self.description(of: $0, as: result) }
        }
        return .tuple([.array(of: "a{sv}", descriptions)])
    }

    private static func description(of item: ItemDescription, as result: String) -> BusValue {
        let folder = result.lastSlash.map { String(result[..<$0]) } ?? String(result.prefix { $0 != ":" })
        let icon = item.kind == .folder ? "folder" : self.icon(ofFile: item.name)
        return .properties([
            ("id", .string(result)), ("name", .string(item.name)), ("description", .string(folder)),
            ("gicon", .string(icon)),
        ])
    }

    /// Returns the icon of a file's type, by its name, in the syntax of GIcon.
    private static func icon(ofFile name: String) -> String {
        let type = g_content_type_guess(name, nil, 0, nil)
        defer { g_free(type) }
        guard let icon = g_content_type_get_icon(type) else { return "text-x-generic" }
        defer { g_object_unref(UnsafeMutableRawPointer(icon)) }
        guard let text = g_icon_to_string(icon) else { return "text-x-generic" }
        defer { g_free(text) }
        return String(cString: text)
    }

    /// Shows a result in the file manager.
    func showResult(_ result: String) async throws(BusError) -> BusValue {
        let places = try places(of: [result])
        let domain = try await ask(ItemStatesCall(places: places)).standings.first?.domain
        let domains = try await ask(ListDomainsCall()).domains
        guard let domain, let mount = domains.first(where: { $0.name == domain })?.mount else {
            throw BusError(.noSuchFile, "\(result) is not in a mounted folder")
        }
        connection?.showInFileManager("ShowItems", [mount + "/" + result.dropFirst(domain.count + 1)])
        return .tuple([])
    }

    /// Shows the mounted folders in the file manager, so that the user can continue the search in it.
    func showMounts() async throws(BusError) -> BusValue {
        let mounts = try await ask(ListDomainsCall()).domains.compactMap(\.mount)
        if !mounts.isEmpty { connection?.showInFileManager("ShowFolders", mounts) }
        return .tuple([])
    }

    private func places(of results: [String]) throws(BusError) -> [ItemPlace] {
        var places: [ItemPlace] = []
        for result in results { places.append(try BusPlace.place(result)) }
        return places
    }
}

/// The D-Bus interface through which GNOME Shell searches the domains.
enum ShellSearch {
    static let interface = "org.gnome.Shell.SearchProvider2"

    /// The description of the interface.
    static let description = """
          <interface name="org.gnome.Shell.SearchProvider2">
            <method name="GetInitialResultSet">
              <arg name="terms" type="as" direction="in"/>
              <arg name="results" type="as" direction="out"/>
            </method>
            <method name="GetSubsearchResultSet">
              <arg name="previous_results" type="as" direction="in"/>
              <arg name="terms" type="as" direction="in"/>
              <arg name="results" type="as" direction="out"/>
            </method>
            <method name="GetResultMetas">
              <arg name="identifiers" type="as" direction="in"/>
              <arg name="metas" type="aa{sv}" direction="out"/>
            </method>
            <method name="ActivateResult">
              <arg name="identifier" type="s" direction="in"/>
              <arg name="terms" type="as" direction="in"/>
              <arg name="timestamp" type="u" direction="in"/>
            </method>
            <method name="LaunchSearch">
              <arg name="terms" type="as" direction="in"/>
              <arg name="timestamp" type="u" direction="in"/>
            </method>
          </interface>

        """
}

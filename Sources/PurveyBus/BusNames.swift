/// The names of this process, its objects and its interfaces on the session bus. Purvey's own names include the
/// version, 1. A later, incompatible interface gets the next version. The interfaces of version 1 then continue to
/// exist.
enum BusNames {
    static let name = "org.purvey.Purvey1"
    static let root = "/org/purvey/Purvey1"
    static let files = "org.purvey.Purvey1.Files"
    static let domain = "org.purvey.Purvey1.Domain"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let properties = "org.freedesktop.DBus.Properties"
    /// The prefix of all error names.
    static let errors = "org.purvey.Purvey1.Error."

    /// Returns the path of a domain's object.
    static func path(ofDomain identifier: String) -> String {
        let digits = Array("0123456789abcdef")
        return identifier.utf8.reduce(into: root + "/domains/") { path, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                path.unicodeScalars.append(Unicode.Scalar(byte))
            default: path += "_\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
    }

    /// The description of the interfaces, with their methods, properties and signals.
    static let description = """
        <node>
          <interface name="org.purvey.Purvey1.Files">
            <method name="GetStates">
              <arg name="paths" type="as" direction="in"/>
              <arg name="states" type="aa{sv}" direction="out"/>
            </method>
            <method name="Download">
              <arg name="paths" type="as" direction="in"/>
            </method>
            <method name="Evict">
              <arg name="paths" type="as" direction="in"/>
            </method>
            <method name="Keep">
              <arg name="paths" type="as" direction="in"/>
              <arg name="keep" type="b" direction="in"/>
            </method>
            <method name="Retry">
              <arg name="paths" type="as" direction="in"/>
            </method>
            <signal name="FilesChanged">
              <arg name="files" type="a(sa{sv})"/>
              <arg name="folders" type="as"/>
            </signal>
          </interface>
          <interface name="org.purvey.Purvey1.Domain">
            <method name="Retry"/>
            <property name="Name" type="s" access="read"/>
            <property name="Identifier" type="s" access="read"/>
            <property name="Provider" type="s" access="read"/>
            <property name="MountPath" type="s" access="read"/>
            <property name="State" type="s" access="read"/>
            <property name="Connected" type="b" access="read"/>
            <property name="NeedsSignIn" type="b" access="read"/>
            <property name="Errors" type="as" access="read"/>
            <property name="PendingUploads" type="u" access="read"/>
            <property name="PendingDownloads" type="u" access="read"/>
          </interface>
        \(CloudAccount.description)\(ShellSearch.description)          <interface name="org.freedesktop.DBus.ObjectManager">
            <method name="GetManagedObjects">
              <arg name="objects" type="a{oa{sa{sv}}}" direction="out"/>
            </method>
            <signal name="InterfacesAdded">
              <arg name="object" type="o"/>
              <arg name="interfaces" type="a{sa{sv}}"/>
            </signal>
            <signal name="InterfacesRemoved">
              <arg name="object" type="o"/>
              <arg name="interfaces" type="as"/>
            </signal>
          </interface>
        </node>
        """
}

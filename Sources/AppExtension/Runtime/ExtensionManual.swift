import Foundation
import LinuxSystem
import ProgramManuals

/// The replies of an extension's executable to its command line, if a user and not a host has started it.
enum ExtensionManual {
    /// Prints the help, the version or a complaint, depending on the arguments.
    ///
    /// - Parameter path: The path of the extension's executable.
    /// - Returns: The exit status.
    static func answer(_ arguments: [String], executable path: String) -> CInt {
        let manual = manual(of: path)
        if let status = manual.answer(arguments) { return status }
        if let word = arguments.first { return manual.refuse(word) }
        return manual.complain("this program is an extension, which only a host starts; see '\(manual.name) --help'")
    }

    private static func manual(of path: String) -> ProgramManual {
        var faults: [String] = []
        let folder = (path as NSString).deletingLastPathComponent
        let list = InfoPropertyList(path: folder + "/Info.plist", faults: &faults)
        return ProgramManual(
            name: path.lastPathName, version: list?.values["CFBundleShortVersionString"] as? String,
            summary: "an extension of Purvey", usage: ["[--help] [--version]"],
            text: """
                This program is an extension: Purvey starts it when it is needed. 'purvey extensions install' installs its bundle,
                the folder NAME.appex with this program and its Info.plist.
                """)
    }
}

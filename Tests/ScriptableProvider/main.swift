// A file provider for tests, whose service the test controls.
//
//     ScriptableProvider serve FOLDER    runs the service, at a local port and, for the test, at FOLDER/control
//     ScriptableProvider                 is the extension, started by its host; the domain's path is FOLDER
import AppExtension
import Foundation
import Glibc
import ScriptableService

signal(SIGPIPE, SIG_IGN)
if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "serve" {
    do {
        try CloudService().serve(in: CommandLine.arguments[2])
    } catch {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
        exit(1)
    }
} else {
    NSExtensionMain()
}

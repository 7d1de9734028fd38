// A file provider for tests of set-ups and of stored passwords. Its settings say what its set-up does.
//
//     SetUpProvider passwords    is an app: prints the passwords that it reaches
//     SetUpProvider              is the extension, started by its host
import AppExtension
import Foundation

if CommandLine.arguments.count == 2, CommandLine.arguments[1] == "passwords" {
    print(StoredPasswords(domain: "").reached.joined(separator: " "))
} else {
    NSExtensionMain()
}

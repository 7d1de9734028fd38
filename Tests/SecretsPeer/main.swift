import Glibc
import LinuxSystem
import SecretStorage
import Secrets

// A process with a store. SecretsPeer FOLDER add SERVICE COUNT adds items and prints the number of each; SecretsPeer
// FOLDER set SERVICE TEXT changes the password of one; SecretsPeer FOLDER find SERVICE prints it; SecretsPeer FOLDER
// scan CALL PASSWORD KEY makes a call and looks for copies of the password and of the key in its own memory, both given
// in hexadecimal digits. The status is 3 for an error of the store. SecretsPeer FOLDER settle - moves the key to where
// it belongs: into a keyring if the variable PEER_KEYRING is "keyring", else into a file. With the value "file" and
// with "keyring", the keyring is the directory FOLDER/keyring.

func show(_ line: String) throws {
    // Past the buffer of standard output, so that a killed process has shown its lines.
    try Array((line + "\n").utf8).withUnsafeBytes { try FileDescriptor.copy(of: STDOUT_FILENO).writeAll($0) }
}

let arguments = CommandLine.arguments
guard arguments.count >= 4 else { exit(2) }
do {
    let place = getenv("PEER_KEYRING").map { String(cString: $0) }
    let store = try SecretStore(
        folder: .open(arguments[1] + "/items", [.readOnly, .directory]),
        keyFolder: .open(arguments[1] + "/keys", [.readOnly, .directory]),
        keyring: place.map { _ in FolderKeyring(path: arguments[1] + "/keyring") }, prefersKeyring: place == "keyring"
    ) { try? show("report: \($0)") }
    let service = SecretValue.text(arguments[3])
    let search = SecretSearch(itemClass: .genericPassword, attributes: [.service: service])
    func secret(_ text: String) -> SecretBytes { Array(text.utf8).withUnsafeBytes { SecretBytes(copying: $0) } }
    switch arguments[2] {
    case "add":
        for number in 0..<(Int(arguments[4]) ?? 0) {
            _ = try store.add(
                AddSecretCall(
                    itemClass: .genericPassword, attributes: [.service: service, .account: .text("\(number)")],
                    value: secret("secret \(number)")),
                groups: peerGroups)
            try show("\(number)")
        }
    case "set":
        try store.update(
            UpdateSecretsCall(search: search, attributes: [:], value: secret(arguments[4])), groups: peerGroups)
    case "find":
        for item in try store.find(FindSecretsCall(search: search, limit: nil, wantsValues: true), groups: peerGroups) {
            try show(item.value?.withBytes { String(decoding: $0, as: UTF8.self) } ?? "")
        }
    case "settle": try store.settleKey()
    default:
        let (password, key) = (MemoryScan.reversed(arguments[4]), MemoryScan.reversed(arguments[5]))
        let isInUse = try useSecret(of: store, arguments[3], password)
        try show("password in use: \(isInUse)")
        try show("password: \(try MemoryScan.contains(reversed: password))")
        try show("key: \(try MemoryScan.contains(reversed: key))")
    }
} catch {
    try? show("error: \(error)")
    exit(3)
}

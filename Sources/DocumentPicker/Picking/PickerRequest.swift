import Foundation
import LinuxSystem
import OSLog

/// A program's request to let the user pick items. It is passed to the picker program on its command line.
package struct PickerRequest: Sendable, Equatable {
    package enum Purpose: Sendable, Equatable {
        case files
        case folders
        case filesAndFolders
        /// The name and the folder of a new file. `name` is the suggested name.
        case save(name: String)
        /// Documents that the user opens one after the other, while the window stays open. The string is the label of
        /// the button for a new document; `nil` for no button.
        case browse(newDocument: String?)
    }

    package var purpose: Purpose
    package var allowsMultiple = false
    /// The types of the files that may be picked, by identifier; empty for files of all types.
    package var types: [String] = []
    /// The title of the window; `nil` for the default one.
    package var title: String?
    /// The label of the button that confirms the choice; `nil` for the default one.
    package var prompt: String?
    /// A text above the buttons.
    package var message: String?
    /// The directory that is shown first: its path in a mount, or `DOMAIN:PATH`.
    package var place: String?
    /// Whether the picked items are sent over ``handOverDescriptor`` rather than printed.
    package var isHandedOver = false
    /// Whether a NUL follows each printed path instead of a line end.
    package var endsWithNull = false

    /// The number of the descriptor over which the picker program sends the picked items.
    package static let handOverDescriptor: CInt = 3

    package init(_ purpose: Purpose) { self.purpose = purpose }

    /// The arguments of the picker program.
    package var arguments: [String] {
        var words: [String]
        switch purpose {
        case .files: words = ["--choose"]
        case .folders: words = ["--choose", "--folders"]
        case .filesAndFolders: words = ["--choose", "--files-and-folders"]
        case .save(let name): words = ["--save", name]
        case .browse(let label): words = ["--browse"] + (label.map { ["--new-document", $0] } ?? [])
        }
        if allowsMultiple { words.append("--multiple") }
        for type in types { words += ["--type", type] }
        for (option, value) in [("--title", title), ("--prompt", prompt), ("--message", message)] {
            if let value { words += [option, value] }
        }
        if isHandedOver { words.append("--hand-over") }
        if endsWithNull { words.append("--null") }
        // After `--`, the place may begin with a hyphen.
        return words + (place.map { ["--", $0] } ?? [])
    }

    /// The options that users may give after the first option.
    private static let options = [
        "--folders", "--files-and-folders", "--multiple", "--type", "--title", "--prompt", "--message", "--null",
    ]

    /// The reason why a command line is not a valid request.
    package struct ArgumentError: Error, CustomStringConvertible {
        package let description: String
    }

    /// Reads the arguments of the picker program.
    package init(arguments: [String]) throws(ArgumentError) {
        var words = arguments[...]
        var (folders, both): (Bool, Bool) = (false, false)
        var newDocument: String?
        func value(of option: String) throws(ArgumentError) -> String {
            guard let value = words.popFirst() else { throw ArgumentError(description: "\(option) takes an argument") }
            return value
        }
        let first = words.popFirst() ?? ""
        switch first {
        case "--choose": purpose = .files
        case "--browse": purpose = .browse(newDocument: nil)
        case "--save":
            let name = try value(of: first)
            guard FileName(name) != nil else { throw ArgumentError(description: "'\(name)' cannot be a file name") }
            purpose = .save(name: name)
        default: throw ArgumentError(description: "unexpected argument '\(first)'")
        }
        while let word = words.popFirst() {
            switch word {
            case "--folders": folders = true
            case "--files-and-folders": both = true
            case "--multiple": allowsMultiple = true
            case "--type": types.append(try value(of: word))
            case "--title": title = try value(of: word)
            case "--prompt": prompt = try value(of: word)
            case "--message": message = try value(of: word)
            case "--new-document": newDocument = try value(of: word)
            case "--hand-over": isHandedOver = true
            case "--null": endsWithNull = true
            case "--":
                place = words.popFirst()
                if let rest = words.first { throw ArgumentError(description: "unexpected argument '\(rest)'") }
            case let option where option.hasPrefix("-"):
                throw ArgumentError(
                    description: SpellingSuggestion.sentence(
                        "unknown option '\(option)'", about: option, known: Self.options))
            default:
                guard place == nil else { throw ArgumentError(description: "unexpected argument '\(word)'") }
                place = word
            }
        }
        switch purpose {
        case .files where both: purpose = .filesAndFolders
        case .files where folders: purpose = .folders
        case .browse: purpose = .browse(newDocument: newDocument)
        default:
            if folders || both {
                throw ArgumentError(description: "\(both ? "--files-and-folders" : "--folders") goes with --choose")
            }
        }
    }
}

/// A failure of the document picker.
public struct DocumentPickerError: Error, LocalizedError, Sendable, CustomStringConvertible, Equatable {
    /// The failure in one sentence.
    public let description: String
    /// The same sentence, for `localizedDescription`.
    public var errorDescription: String? { description }

    package init(_ description: String) { self.description = description }

    private static let log = Logger(subsystem: "Purvey", category: "DocumentPicker")

    /// Logs a failure. UIKit's delegates and AppKit's panels have no means to report it: for them, the user picked
    /// nothing.
    static func note(_ error: any Error) {
        log.error("\(String(describing: error), privacy: .public)")
    }
}

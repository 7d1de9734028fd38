import AppExtension
import CoreTransferable
import DragAndDrop
import Foundation
import ItemProvider
import MobileCoreServices
import OSLog
import Purvey
import UniformTypeIdentifiers
import os
import os.log

struct Note: Codable, Transferable {
    var text: String

    static var transferRepresentation: some TransferRepresentation { CodableRepresentation(contentType: .json) }
}

Logger(subsystem: "com.example.client", category: "main").debug("begins")
let provider = NSItemProvider()
provider.register(Note(text: UTType.png.identifier))
let note = try await Note(importing: provider.loadDataRepresentation(for: .json), contentType: .json)
print(note.text == kUTTypePNG as String, provider.registeredTypeIdentifiers)

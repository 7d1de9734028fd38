import FileProviderWire
import ItemStore

extension JournalEntry {
    /// The failure for which the change was parked.
    package var failure: ProviderError? {
        get { recordedFailure.map { ProviderError($0) } }
        set { recordedFailure = newValue?.recorded }
    }
}

import Foundation
import ItemProvider

/// One thing that is dragged.
///
/// Source: UIKit, `UIDragItem.h`, without what depends on views.
@MainActor open class UIDragItem: NSObject {
    /// What is dragged, in all its representations.
    open private(set) var itemProvider: NSItemProvider
    /// Whatever the program wants to find again when the item is dropped in it; other processes do not see it.
    open var localObject: Any?

    /// An item to drag.
    public init(itemProvider: NSItemProvider) {
        self.itemProvider = itemProvider
        super.init()
    }
}

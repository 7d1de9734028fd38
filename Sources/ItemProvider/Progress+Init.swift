import Foundation

extension Progress {
    /// A progress without a parent and without anything to do yet. `Progress()` finds it: Foundation on Linux has no initializer
    /// without arguments, and its own may not be overridden from outside.
    public convenience init(_unused: Void = ()) {
        self.init(parent: nil, userInfo: nil)
    }
}

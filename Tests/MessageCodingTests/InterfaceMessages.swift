import FileProvider
import FileProviderUI

extension Recorded {
    /// The messages between hosts and providers' user interfaces.
    static let interfaces: [Recorded] = [
        Recorded(BeginInterfaceCall.self, "bf00bf00010160026003600460056007f9000008f900000960ff01bf00616101816162ffff"),
        Recorded(BeginInterfaceCall.Reply.self, "bf00bf006164010102616dffff"),
        Recorded(BeginInterfaceCall.Reply.self, "bfff"),
        Recorded(PromptCall.self, "bf00617401616d0281bf00616c01617802f5ffff"),
        Recorded(PromptCall.self, "bf006001600280ff"),
        Recorded(PromptCall.Reply.self, "bf00816161ff"),
        Recorded(PromptCall.Reply.self, "bfff"),
        Recorded(WindowNotice.self, "bf00f5ff"),
    ]
}

import DomainMessages
import FileProvider
import Testing

struct TransferActivityTests {
    @Test(
        arguments: [
            (0, 0, 0), (0, 200, 0), (29, 100, 29), (199, 200, 99), (200, 200, 100), (300, 200, 100), (-5, 200, 0),
            (5, -200, 0),
            (.max, .max, 100), (.max / 2, .max, 50), (.min, .max, 0), (.max, 1, 100), (.min, .min, 0),
        ] as [(Int64, Int64, Int)])
    func anyProgressOfAProviderIsAPercentage(done: Int64, total: Int64, percent: Int) {
        #expect(TransferActivity(name: "file", isUpload: false, done: done, total: total).percent == percent)
    }
}

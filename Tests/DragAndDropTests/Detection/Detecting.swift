import DragAndDrop
import Foundation

/// Returns the values detected in a text on a fixed day: Tuesday, March 5, 2024, at noon in Greenwich.
func detect(
    _ keyPath: PartialKeyPath<UIPasteboard.DetectedValues>, in text: String, isMonthFirst: Bool = false
) -> UIPasteboard.DetectedValues {
    let noon = Date(timeIntervalSince1970: 1_709_640_000)
    let clock = CalendarClock(now: noon, timeZone: .gmt, isMonthFirst: isMonthFirst)
    return UIPasteboard.DetectedValues(of: [keyPath], in: text, clock: clock)
}

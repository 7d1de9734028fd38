/// Scales pictures down by area averaging: each pixel of the result is the mean of the source pixels that it covers.
/// Pictures with transparent pixels are not supported, because colours are not weighted by alpha.
enum Reduction {
    /// The shares of source pixels in each pixel of the result, along one axis.
    private struct Shares {
        /// The sum of all weights of a result pixel. With this value, the weighted sum of the pixels in a column fits
        /// into 16 bits, and that of several columns into 32 bits.
        static let whole = 256.0

        /// The number of source pixels of each result pixel, including those with the weight 0.
        let count: Int
        /// The first source pixel of each result pixel.
        let starts: [Int]
        /// The weights, ``count`` for each result pixel, with the sum ``whole``.
        let weights: [UInt16]

        init(of source: Int, for target: Int) {
            let step = Double(source) / Double(target)
            let count = source % target == 0 ? source / target : min(Int(step.rounded(.up)) + 1, source)
            let starts = (0..<target).map { min(Int(Double($0) * step), source - count) }
            self.count = count
            self.starts = starts
            weights = starts.indices.flatMap { index -> [UInt16] in
                let (start, end) = (Double(index) * step, Double(index + 1) * step)
                // The cumulative sums are rounded, and the weights are their differences. Therefore the sum of the
                // weights is exact.
                let sums = (0...count).map { offset in
                    let position = min(max(Double(starts[index] + offset), start), end)
                    return UInt16((min((position - start) / step, 1) * Self.whole).rounded())
                }
                return (0..<count).map { sums[$0 + 1] - sums[$0] }
            }
        }
    }

    /// Returns pixels scaled down, with 8 bits per channel, row by row.
    ///
    /// - Parameter target: not larger than the source in either direction.
    static func reduced(
        _ source: UnsafeRawBufferPointer, _ size: (width: Int, height: Int), pixelSize: Int,
        to target: (width: Int, height: Int)
    ) -> [UInt8] {
        let (rowSize, targetRowSize) = (size.width * pixelSize, target.width * pixelSize)
        guard source.count == rowSize * size.height, let base = source.baseAddress else { return [] }
        let pixels = base.assumingMemoryBound(to: UInt8.self)
        let columns = Shares(of: size.width, for: target.width)
        let rows = Shares(of: size.height, for: target.height)
        var sums = [UInt16](repeating: 0, count: rowSize)
        return [UInt8](unsafeUninitializedCapacity: targetRowSize * target.height) { result, count in
            guard let first = result.baseAddress else { return }
            sums.withUnsafeMutableBufferPointer { sums in
                for y in 0..<target.height {
                    sums.update(repeating: 0)
                    for index in 0..<rows.count {
                        let weight = rows.weights[y * rows.count + index]
                        if weight > 0 { add(pixels + (rows.starts[y] + index) * rowSize, weight, to: sums) }
                    }
                    gather(UnsafeBufferPointer(sums), columns, pixelSize, into: first + y * targetRowSize)
                }
            }
            count = targetRowSize * target.height
        }
    }

    private static func add(
        _ row: UnsafePointer<UInt8>, _ weight: UInt16, to sums: UnsafeMutableBufferPointer<UInt16>
    ) {
        for x in 0..<sums.count { sums[x] &+= UInt16(row[x]) &* weight }
    }

    private static func gather(
        _ sums: UnsafeBufferPointer<UInt16>, _ columns: Shares, _ pixelSize: Int, into row: UnsafeMutablePointer<UInt8>
    ) {
        // The frequent cases are scaling to exactly half the size and to about half the size. For these, the arguments
        // are constants, so that the compiler can unroll the loops.
        switch (pixelSize, columns.count) {
        case (3, 2): gather(sums, columns, 3, 2, into: row)
        case (3, 4): gather(sums, columns, 3, 4, into: row)
        default: gather(sums, columns, pixelSize, columns.count, into: row)
        }
    }

    @inline(__always) private static func gather(
        _ sums: UnsafeBufferPointer<UInt16>, _ columns: Shares, _ pixelSize: Int, _ count: Int,
        into row: UnsafeMutablePointer<UInt8>
    ) {
        columns.weights.withUnsafeBufferPointer { weights in
            columns.starts.withUnsafeBufferPointer { starts in
                for x in 0..<starts.count {
                    let start = starts[x] &* pixelSize
                    for part in 0..<pixelSize {
                        // One half, for rounding.
                        var sum: UInt32 = 1 << 15
                        for index in 0..<count {
                            let column = UInt32(sums[start &+ part &+ index &* pixelSize])
                            sum &+= column &* UInt32(weights[x &* count &+ index])
                        }
                        (row + (x &* pixelSize &+ part)).initialize(to: UInt8(truncatingIfNeeded: sum >> 16))
                    }
                }
            }
        }
    }
}

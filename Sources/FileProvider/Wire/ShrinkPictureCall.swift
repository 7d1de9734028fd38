import Conduit
import LinuxSystem

/// Asks the program that decodes pictures for small ones of a large one, as PNG files.
package struct ShrinkPictureCall: Call {
    package static var method: UInt64 { 1 }
    /// The code of a failure that is not the picture's: no picture can be decoded.
    package static let unavailable: Int64 = 2
    /// A sealed memory file with bytes of a stranger's.
    package let picture: FileDescriptor
    /// The longest sides to fit into, in pixels, the shortest first.
    package let sides: [Int]

    package init(picture: FileDescriptor, sides: [Int]) {
        self.picture = picture
        self.sides = sides
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        picture = try decoder.decode(forKey: 0)
        sides = try decoder.decode(forKey: 1)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(picture, forKey: 0)
        encoder.encode(sides, forKey: 1)
    }

    package struct Reply: Message {
        /// A sealed memory file with one picture after the other.
        package let file: FileDescriptor
        /// The bytes of each, one for each side up to the first that the picture fits into as it is: it is the same for all
        /// beyond.
        package let sizes: [Int]

        package init(file: FileDescriptor, sizes: [Int]) {
            self.file = file
            self.sizes = sizes
        }

        package init(from decoder: inout MessageDecoder) throws(MessageError) {
            file = try decoder.decode(forKey: 0)
            sizes = try decoder.decode(forKey: 1)
        }

        package func encode(to encoder: inout MessageEncoder) {
            encoder.encode(file, forKey: 0)
            encoder.encode(sizes, forKey: 1)
        }
    }

    /// The most bytes of the small pictures together: a few of a thousand pixels each way.
    package static let mostBytes = 16 << 20
    /// The domain of the errors that say that there is nothing to be made of a picture.
    package static let errorDomain = "PurveyPicture"
}

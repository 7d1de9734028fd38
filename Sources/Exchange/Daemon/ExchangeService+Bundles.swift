import Conduit
import Dispatch

extension ExchangeService {
    func addBundleCalls(to service: inout Service) {
        // A serial queue: concurrent registrations could exceed the limit.
        let disk = DispatchQueue(label: "purvey.bundles")
        service.on(RegisterBundleCall.self) { request, call in
            disk.async {
                do {
                    let record = try self.bundles.register(path: request.path)
                    self.log.info("registered the bundle \(record.identifier) in \(record.path)")
                    call.reply(BundleDescription(record))
                } catch {
                    call.fail(error as? ExchangeRefusalError ?? .refused("the bundle cannot be registered: \(error)"))
                }
            }
        }
        service.on(RemoveBundleCall.self) { request, call in
            disk.async {
                do throws(ExchangeRefusalError) {
                    try self.bundles.remove(identifier: request.identifier)
                    self.log.info("removed the bundle \(request.identifier)")
                    call.reply()
                } catch {
                    call.fail(error)
                }
            }
        }
        service.on(ListBundlesCall.self) { _, call in
            call.reply(ListBundlesCall.Reply(bundles: self.bundles.all.map { BundleDescription($0) }))
        }
    }
}

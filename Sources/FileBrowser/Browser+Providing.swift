import DomainMessages
import FileProvider
import FileProviderUI
import FileProviderWire

/// The custom actions that a provider offers for an item.
extension Browser {
    /// Returns the provider's actions for an item; none if they cannot be read.
    package func actions(for item: BrowserItem) async -> [ActionDescription] {
        guard !item.isTrashed, !item.isRemote else { return [] }
        return (try? await daemon.call(ListActionsCall(place: item.place)).actions) ?? []
    }

    /// Performs an action of the provider. An action that needs further input shows its own windows, or asks the user
    /// through ``whenAsked``. The reply of the action is passed to ``whenReplied``.
    package func perform(_ action: ActionDescription, on item: BrowserItem) {
        run(Job("\(action.name): \(Self.words(for: [item]))")) { browser, job throws(BrowserError) in
            if action.interface == nil {
                let input = try await browser.input(for: action)
                let request = PerformActionCall(place: item.place, action: action.identifier, input: input)
                let reply = try await browser.daemon.call(request, progress: job.reporter)
                if reply.link != nil || !reply.lines.isEmpty {
                    browser.whenReplied("\(action.name): \(Self.words(for: [item]))", reply)
                    return browser.loadAgain()
                }
            } else {
                let subject = DescribeInterfaceCall.Subject.action(action.identifier, item.place)
                guard try await browser.runInterface(subject) else {
                    throw BrowserError("The extension does not support “\(action.name)”")
                }
            }
            browser.whenDone("\(action.name) done", false)
            browser.loadAgain()
        }
    }

    /// Asks the user for the text that an action needs; returns `nil` if it needs none.
    private func input(for action: ActionDescription) async throws(BrowserError) -> String? {
        guard let input = action.input else { return nil }
        let label = input.prefix(1).uppercased() + input.dropFirst()
        let answers = await whenAsked(FileProviderPrompt(title: action.name, fields: [.init(label)]))
        guard let text = answers?.first, !text.isEmpty else {
            throw BrowserError("It was cancelled", kind: .cancelled)
        }
        return text
    }

    /// Signs in to a service with the provider's own user interface. Returns `false` if the provider has no user
    /// interface for this.
    ///
    /// - Throws: the reason why the sign-in failed, or an error of kind `cancelled` if the user cancels.
    package func signInWithInterface(to domain: String) async throws(BrowserError) -> Bool {
        do throws(BrowserError) {
            guard try await runInterface(.signIn(domain: domain)) else { return false }
        } catch {
            // Other failures, for example a failure to start the extension, do not mean that the service refused the
            // sign-in.
            if error.kind == .failedInExtension {
                _ = try? await daemon.call(NoteFailedSignInCall(domain: domain, reason: error.message))
            }
            throw error
        }
        _ = try await daemon.call(RetryDomainCall(name: domain))
        await readDomains()
        loadAgain()
        return true
    }

    /// Runs a user interface of a provider until it ends. Returns `false` if the provider has no user interface for the
    /// subject.
    private func runInterface(_ subject: DescribeInterfaceCall.Subject) async throws(BrowserError) -> Bool {
        guard let interface = try await daemon.call(DescribeInterfaceCall(subject: subject)).interface else {
            return false
        }
        let isSupported = try await InterfaceWork.run(interface, daemon: daemon) { [weak self] prompt in
            await self?.whenAsked(prompt)
        }
        // The action may have changed items, regardless of its result.
        _ = try? await daemon.call(SignalDomainCall(name: interface.domain, container: nil))
        return isSupported
    }
}

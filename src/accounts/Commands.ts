import { Context, Effect, Layer } from "effect"
import type { CommandTag } from "./AccountEntity.ts"
import * as Accounts from "./commands/AccountCommands.ts"
import * as Acquirers from "./commands/AcquirerCommands.ts"
import * as ApiKeys from "./commands/ApiKeyCommands.ts"
import * as Certificates from "./commands/CertificateCommands.ts"
import * as Command from "./Command.ts"
import * as Correction from "../invoices/commands/CorrectionCommands.ts"
import * as Customers from "./commands/CustomerCommands.ts"
import * as Emails from "../invoices/commands/EmailCommands.ts"
import * as Enablement from "./commands/EnablementCommands.ts"
import * as Invoices from "../invoices/commands/DocumentCommands.ts"
import * as Logos from "./commands/LogoCommands.ts"
import * as Notes from "../invoices/commands/NoteCommands.ts"
import * as Platforms from "./commands/PlatformCommands.ts"
import * as PortalSessions from "./commands/PortalSessionCommands.ts"
import * as Redelivery from "./commands/RedeliveryCommands.ts"
import * as ResolutionImport from "./commands/ResolutionImport.ts"
import * as Resolutions from "./commands/ResolutionCommands.ts"
import * as Sandbox from "./commands/SandboxCommands.ts"
import * as Softwares from "./commands/SoftwareCommands.ts"
import * as WebhookEndpoints from "./commands/WebhookEndpointCommands.ts"

type Table = { readonly [Tag in CommandTag]: Command.Command<Tag> }

/**
 * The commands that clients may send to their accounts, by name, and the services that the commands use. A command tag
 * without an implementation does not compile.
 */
export class Commands extends Context.Service<Commands>()("folio/accounts/Commands", {
  make: Effect.gen(function* () {
    const table: Table = {
      ...(yield* Accounts.make),
      ...(yield* Acquirers.make),
      ...(yield* ApiKeys.make),
      ...(yield* Certificates.make),
      ...(yield* Correction.make),
      ...(yield* Customers.make),
      ...(yield* Emails.make),
      ...(yield* Enablement.make),
      ...(yield* Invoices.make),
      ...(yield* Logos.make),
      ...(yield* Notes.make),
      ...(yield* Platforms.make),
      ...(yield* PortalSessions.make),
      ...(yield* Redelivery.make),
      ...(yield* ResolutionImport.make),
      ...(yield* Resolutions.make),
      ...(yield* Sandbox.make),
      ...(yield* Softwares.make),
      ...(yield* WebhookEndpoints.make)
    }
    return { table, means: yield* Command.makeMeans }
  })
}) {
  static readonly layer = Layer.effect(Commands, Commands.make)
}

import { Context, Effect, Layer } from "effect"
import type { CommandTag } from "../protocol/AccountEntity.ts"
import * as Accounts from "./parties/Accounts.ts"
import * as Acquirers from "./parties/Acquirers.ts"
import * as ApiKeys from "./ApiKeys.ts"
import * as Certificates from "./Certificates.ts"
import * as Command from "./Command.ts"
import * as Correction from "./documents/Correction.ts"
import * as Customers from "./parties/Customers.ts"
import * as Emails from "./Emails.ts"
import * as Enablement from "./Enablement.ts"
import * as Invoices from "./documents/Invoices.ts"
import * as Logos from "./parties/Logos.ts"
import * as Notes from "./documents/Notes.ts"
import * as PortalSessions from "./PortalSessions.ts"
import * as Redelivery from "./Redelivery.ts"
import * as ResolutionImport from "./ResolutionImport.ts"
import * as Resolutions from "./Resolutions.ts"
import * as Sandbox from "./Sandbox.ts"
import * as Softwares from "./parties/Softwares.ts"
import * as WebhookEndpoints from "./WebhookEndpoints.ts"

type Table = { readonly [Tag in CommandTag]: Command.Command<Tag> }

/**
 * The commands that clients may send to their accounts, by name, and the services that the commands use. A command tag
 * without an implementation does not compile.
 */
export class Commands extends Context.Service<Commands>()("folio/commands/Commands", {
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

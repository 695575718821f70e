import { Duration, Effect, Option } from "effect"
import { Entity } from "effect/cluster"
import type { ApiError } from "../../schemas/ApiError.ts"
import { AccountEntity, type RequestContext } from "../protocol/AccountEntity.ts"
import { accountModeOf } from "../protocol/Address.ts"
import { IdempotencyKeys, type Outcome } from "../store/IdempotencyKeys.ts"
import { Database } from "../store/Database.ts"
import { apiErrorOf } from "../store/SqlFailure.ts"
import { AccountWork } from "./AccountWork.ts"
import { AdministrationWork } from "./AdministrationWork.ts"
import { CertificateWork } from "./CertificateWork.ts"
import { CommandTurns } from "./CommandTurns.ts"
import { CustomerWork } from "./CustomerWork.ts"
import * as DraftNumbering from "./DraftNumbering.ts"
import { EmailCommandWork } from "./EmailCommandWork.ts"
import { EmailWork } from "./EmailWork.ts"
import { InvoiceCommandWork } from "./InvoiceCommandWork.ts"
import { LiveReadiness } from "./LiveReadiness.ts"
import { NoteWork } from "./NoteWork.ts"
import * as Once from "./Once.ts"
import { RedeliveryWork } from "./RedeliveryWork.ts"
import { ResolutionImportWork } from "./ResolutionImportWork.ts"
import { ResolutionWork } from "./ResolutionWork.ts"
import { SandboxWork } from "./SandboxWork.ts"
import { Telling } from "./Telling.ts"
import { Workload } from "./Workload.ts"

const maxIdleTime = Duration.minutes(1)
const mailboxCapacity = 4096
/**
 * Requests of one account run side by side, few at a time of those that have a transaction for themselves; what must happen once
 * is settled by `Once` and, finally, in SQL.
 */
export const layer = AccountEntity.toLayer(
  Effect.gen(function* () {
    const database = yield* Database
    const work = yield* AccountWork
    const commands = yield* InvoiceCommandWork
    const certificates = yield* CertificateWork
    const customers = yield* CustomerWork
    const notes = yield* NoteWork
    const emails = yield* EmailCommandWork
    const emailWork = yield* EmailWork
    const redelivery = yield* RedeliveryWork
    const imports = yield* ResolutionImportWork
    const ready = yield* LiveReadiness
    const resolutions = yield* ResolutionWork
    const administration = yield* AdministrationWork
    const sandbox = yield* SandboxWork
    const telling = yield* Telling
    const turns = yield* CommandTurns
    const workload = yield* Workload
    const { entityId } = yield* Entity.CurrentAddress
    const of = accountModeOf(entityId)
    const numbering = yield* DraftNumbering.make(of)
    const once = Once.make(yield* IdempotencyKeys)

    /** A defect must be an answer: left alone it would restart the actor and repeat every request in flight. */
    const answer = <A>({ request_id }: RequestContext, effect: Effect.Effect<A, ApiError>) =>
      Effect.annotateCurrentSpan({ account_id: of.account_id, request_id }).pipe(
        Effect.andThen(effect),
        Effect.catchCauseIf(
          (cause) => cause.reasons.some((reason) => reason._tag === "Die"),
          (cause) =>
            Effect.logError("A command failed", cause).pipe(
              Effect.andThen(database.note(cause)),
              Effect.andThen(Effect.fail(apiErrorOf(cause)))
            )
        ),
        Effect.annotateLogs({ account_id: of.account_id, request_id })
      )

    /** Makes a draft, and has it numbered in its turn. */
    const drafted = Effect.fnUntraced(function* (make: ReturnType<typeof work.createInvoice>) {
      const { draft, outcome } = yield* workload.creating(make)
      if (Option.isSome(draft)) yield* numbering.add(draft.value)
      return outcome
    })

    /** Carries out what has a transaction of its own, once, and in its turn. */
    const command = (context: RequestContext, run: Effect.Effect<Outcome, ApiError>) =>
      answer(context, once(context, turns.inTurn(of, context, run)))

    return AccountEntity.of({
      CreateCustomer: ({ payload: { context, request } }) =>
        answer(context, once(context, work.createCustomer(of, context, request))),
      UpdateCustomer: ({ payload: { context, id, patch } }) =>
        command(context, customers.update({ ...of, id }, context, patch)),
      DeleteCustomer: ({ payload: { context, id } }) => command(context, customers.remove({ ...of, id })),
      CreateInvoice: ({ payload: { context, request } }) =>
        answer(context, once(context, drafted(ready.before(of, context, work.createInvoice(of, context, request))))),
      CreateNote: ({ payload: { context, kind, request } }) =>
        command(context, drafted(ready.before(of, context, notes.create(of, context, kind, request)))),
      AnnulInvoice: ({ payload: { context, id, request } }) =>
        command(context, drafted(ready.before(of, context, notes.annul(of, context, id, request)))),
      CancelInvoice: ({ payload: { context, id } }) => command(context, commands.cancel({ ...of, id }, context)),
      RetryInvoice: ({ payload: { context, id } }) =>
        command(context, ready.before(of, context, commands.retry({ ...of, id }, context))),
      SendEmail: ({ payload: { context, id, request } }) =>
        command(context, emails.send({ ...of, id }, context, request)),
      NoteEmail: ({ payload }) => emailWork.note(of, payload),
      CreateWebhookEndpoint: ({ payload: { context, request } }) =>
        command(context, work.createEndpoint(of, context, request)),
      UpdateWebhookEndpoint: ({ payload: { context, id, patch } }) =>
        command(context, work.updateEndpoint({ ...of, id }, context, patch)).pipe(
          Effect.tap(() => (patch.is_active === true ? telling.deliver({ ...of, id }) : Effect.void))
        ),
      DeleteWebhookEndpoint: ({ payload: { context, id } }) =>
        command(context, work.deleteEndpoint({ ...of, id }, context)),
      RotateWebhookSecret: ({ payload: { context, id } }) =>
        command(context, work.rotateSecret({ ...of, id }, context)),
      RedeliverWebhook: ({ payload: { context, id } }) =>
        command(context, redelivery.redeliver({ ...of, id }, context)),
      RecoverWebhookEndpoint: ({ payload: { context, id, request } }) =>
        command(context, redelivery.recover({ ...of, id }, context, request)),
      TestWebhookEndpoint: ({ payload: { context, id, request } }) =>
        command(context, redelivery.test({ ...of, id }, context, request)),
      CreateResolution: ({ payload: { context, request } }) =>
        Effect.tap(command(context, resolutions.create(of, context, request)), numbering.forgetRanges),
      UpdateResolution: ({ payload: { context, id, patch } }) =>
        Effect.tap(command(context, resolutions.update({ ...of, id }, context, patch)), numbering.forgetRanges),
      CreateApiKey: ({ payload: { context, request } }) =>
        command(context, administration.createKey(of, context, request)),
      RollApiKey: ({ payload: { context, id, request } }) =>
        command(context, administration.rollKey({ ...of, id }, context, request)),
      RevokeApiKey: ({ payload: { context, id } }) =>
        command(context, administration.revokeKey({ ...of, id }, context)),
      UpdateAccount: ({ payload: { context, patch } }) =>
        command(context, administration.updateAccount(of, context, patch)),
      SetSandboxAuthority: ({ payload: { context, request } }) =>
        command(context, sandbox.setMode(of, context, request)),
      AdvanceClock: ({ payload: { context, request } }) => command(context, sandbox.advance(of, context, request)),
      UploadCertificate: ({ payload: { context, request } }) =>
        answer(context, once(context, certificates.upload(of, context, request))),
      ImportResolutions: ({ payload: { context } }) =>
        Effect.tap(answer(context, once(context, imports.import(of, context))), numbering.forgetRanges),
      NumberDrafts: () => numbering.takeUp
    })
  }),
  { maxIdleTime, mailboxCapacity, concurrency: "unbounded", disableFatalDefects: true }
)

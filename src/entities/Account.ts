import { Duration, Effect, Option, Semaphore } from "effect"
import { Entity } from "effect/cluster"
import type { ApiError } from "../../schemas/ApiError.ts"
import { AccountEntity, type RequestContext } from "../protocol/AccountEntity.ts"
import { accountModeOf } from "../protocol/Address.ts"
import { IdempotencyKeys } from "../store/IdempotencyKeys.ts"
import { Database } from "../store/Database.ts"
import { apiErrorOf } from "../store/SqlFailure.ts"
import { AccountWork } from "./AccountWork.ts"
import { AdministrationWork } from "./AdministrationWork.ts"
import { CertificateWork } from "./CertificateWork.ts"
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
/** Requests of one account run side by side; what must happen once is settled by `Once` and, finally, in SQL. */
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

    // They wait for the row of their invoice, each with a connection: here they wait without one.
    const noteInTurn = Semaphore.makeUnsafe(1).withPermits(1)

    return AccountEntity.of({
      CreateCustomer: ({ payload: { context, request } }) =>
        answer(context, once(context, work.createCustomer(of, context, request))),
      UpdateCustomer: ({ payload: { context, id, patch } }) =>
        answer(context, once(context, customers.update({ ...of, id }, context, patch))),
      DeleteCustomer: ({ payload: { context, id } }) => answer(context, once(context, customers.remove({ ...of, id }))),
      CreateInvoice: ({ payload: { context, request } }) =>
        answer(context, once(context, drafted(ready.before(of, context, work.createInvoice(of, context, request))))),
      CreateNote: ({ payload: { context, kind, request } }) =>
        answer(
          context,
          once(context, noteInTurn(drafted(ready.before(of, context, notes.create(of, context, kind, request)))))
        ),
      AnnulInvoice: ({ payload: { context, id, request } }) =>
        answer(
          context,
          once(context, noteInTurn(drafted(ready.before(of, context, notes.annul(of, context, id, request)))))
        ),
      CancelInvoice: ({ payload: { context, id } }) =>
        answer(context, once(context, commands.cancel({ ...of, id }, context))),
      RetryInvoice: ({ payload: { context, id } }) =>
        answer(context, once(context, ready.before(of, context, commands.retry({ ...of, id }, context)))),
      SendEmail: ({ payload: { context, id, request } }) =>
        answer(context, once(context, emails.send({ ...of, id }, context, request))),
      NoteEmail: ({ payload }) => emailWork.note(of, payload),
      CreateWebhookEndpoint: ({ payload: { context, request } }) =>
        answer(context, once(context, work.createEndpoint(of, context, request))),
      UpdateWebhookEndpoint: ({ payload: { context, id, patch } }) =>
        answer(context, once(context, work.updateEndpoint({ ...of, id }, context, patch))).pipe(
          Effect.tap(() => (patch.is_active === true ? telling.deliver({ ...of, id }) : Effect.void))
        ),
      DeleteWebhookEndpoint: ({ payload: { context, id } }) =>
        answer(context, once(context, work.deleteEndpoint({ ...of, id }, context))),
      RotateWebhookSecret: ({ payload: { context, id } }) =>
        answer(context, once(context, work.rotateSecret({ ...of, id }, context))),
      RedeliverWebhook: ({ payload: { context, id } }) =>
        answer(context, once(context, redelivery.redeliver({ ...of, id }, context))),
      RecoverWebhookEndpoint: ({ payload: { context, id, request } }) =>
        answer(context, once(context, redelivery.recover({ ...of, id }, context, request))),
      TestWebhookEndpoint: ({ payload: { context, id, request } }) =>
        answer(context, once(context, redelivery.test({ ...of, id }, context, request))),
      CreateResolution: ({ payload: { context, request } }) =>
        Effect.tap(answer(context, once(context, resolutions.create(of, context, request))), numbering.forgetRanges),
      UpdateResolution: ({ payload: { context, id, patch } }) =>
        Effect.tap(
          answer(context, once(context, resolutions.update({ ...of, id }, context, patch))),
          numbering.forgetRanges
        ),
      CreateApiKey: ({ payload: { context, request } }) =>
        answer(context, once(context, administration.createKey(of, context, request))),
      RollApiKey: ({ payload: { context, id, request } }) =>
        answer(context, once(context, administration.rollKey({ ...of, id }, context, request))),
      RevokeApiKey: ({ payload: { context, id } }) =>
        answer(context, once(context, administration.revokeKey({ ...of, id }, context))),
      UpdateAccount: ({ payload: { context, patch } }) =>
        answer(context, once(context, administration.updateAccount(of, context, patch))),
      SetSandboxAuthority: ({ payload: { context, request } }) =>
        answer(context, once(context, sandbox.setMode(of, context, request))),
      AdvanceClock: ({ payload: { context, request } }) =>
        answer(context, once(context, sandbox.advance(of, context, request))),
      UploadCertificate: ({ payload: { context, request } }) =>
        answer(context, once(context, certificates.upload(of, context, request))),
      ImportResolutions: ({ payload: { context } }) =>
        Effect.tap(answer(context, once(context, imports.import(of, context))), numbering.forgetRanges),
      NumberDrafts: () => numbering.takeUp
    })
  }),
  { maxIdleTime, mailboxCapacity, concurrency: "unbounded", disableFatalDefects: true }
)

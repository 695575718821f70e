import { Duration, Effect } from "effect"
import { Entity } from "effect/cluster"
import { inLane } from "../runtime/turns/AccountLanes.ts"
import { invoiceKeyOf } from "../runtime/Address.ts"
import { InvoiceEntity } from "./InvoiceEntity.ts"
import { Executor } from "./Executor.ts"
import { Mailing } from "./Mailing.ts"

const maxIdleTime = Duration.seconds(2)
const mailboxCapacity = 16

/** Actor of one document. It handles one message at a time, so that each message reads the row of the previous one. */
export const layer = InvoiceEntity.toLayer(
  Effect.gen(function* () {
    const emails = yield* Mailing
    const executor = yield* Executor
    const { entityId } = yield* Entity.CurrentAddress
    const key = invoiceKeyOf(entityId)
    const facts = { account_id: key.account_id, invoice_id: key.id }
    const logged = (effect: Effect.Effect<void>, failure: string) =>
      effect.pipe(
        Effect.catchCause((cause) => Effect.logError(failure, cause)),
        Effect.annotateLogs(facts),
        inLane(key)
      )
    const proceed = Effect.andThen(Effect.annotateCurrentSpan(facts), executor.proceed(key))
    return InvoiceEntity.of({
      Proceed: () => logged(proceed, "An invoice could not proceed; the sweeper will retry it"),
      Mail: () => logged(emails.send(key), "An email's outcome could not be stored; it is due again")
    })
  }),
  { maxIdleTime, mailboxCapacity, concurrency: 1, disableFatalDefects: true }
)

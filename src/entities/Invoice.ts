import { Duration, Effect } from "effect"
import { Entity } from "effect/cluster"
import { invoiceKeyOf } from "../protocol/Address.ts"
import { InvoiceEntity } from "../protocol/InvoiceEntity.ts"
import { EmailWork } from "./EmailWork.ts"
import { InvoiceWork } from "./InvoiceWork.ts"

const maxIdleTime = Duration.seconds(2)
const mailboxCapacity = 16

/** One tell at a time: the second finds the row as the first has left it. */
export const layer = InvoiceEntity.toLayer(
  Effect.gen(function* () {
    const emails = yield* EmailWork
    const work = yield* InvoiceWork
    const { entityId } = yield* Entity.CurrentAddress
    const key = invoiceKeyOf(entityId)
    return InvoiceEntity.of({
      Proceed: () =>
        Effect.annotateCurrentSpan({ account_id: key.account_id, invoice_id: key.id }).pipe(
          Effect.andThen(work.proceed(key)),
          Effect.catchCause((cause) =>
            Effect.logError("An invoice could not proceed; the sweeper will try again", cause)
          ),
          Effect.annotateLogs({ account_id: key.account_id, invoice_id: key.id })
        ),
      Mail: () =>
        emails.send(key).pipe(
          Effect.catchCause((cause) =>
            Effect.logError("An e-mail's outcome could not be stored; it is due again", cause)
          ),
          Effect.annotateLogs({ account_id: key.account_id, invoice_id: key.id })
        )
    })
  }),
  { maxIdleTime, mailboxCapacity, concurrency: 1, disableFatalDefects: true }
)

import { Context, Duration, Effect, Layer, Pool, Schema } from "effect"
import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import type { EmailPackage } from "../email/EmailPackage.ts"
import type { FiscalDocument } from "../ubl/FiscalDocument.ts"
import { printThreads } from "../../runtime/Limits.ts"
import type { PrintAnswer, PrintTask } from "./PrintWorker.ts"

// The longest document takes half a second; this time-out is for a task that never ends.
const taskTimeout = Duration.seconds(20)
const heapMb = 256

/** The time after which an idle thread ends. */
const idleTime = Duration.minutes(5)

const thread = Effect.acquireRelease(
  Effect.sync(() => {
    const worker = new Worker(new URL(`./PrintWorker${extname(import.meta.filename)}`, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
      execArgv: [],
      env: {}
    })
    worker.unref()
    // Without a listener, an error of an idle thread would end the process. The next task detects that the thread has
    // ended.
    worker.on("error", () => undefined)
    return worker
  }),
  (worker) => Effect.promise(() => worker.terminate())
)

class PrintingFailed extends Schema.TaggedError<PrintingFailed>()("PrintingFailed", { message: Schema.String }) {}

const answerOf = (worker: Worker, task: PrintTask) =>
  Effect.callback<PrintAnswer, PrintingFailed>((resume) => {
    const settle = (answer: Effect.Effect<PrintAnswer, PrintingFailed>) => {
      worker.off("message", answered).off("error", broke).off("exit", broke)
      resume(answer)
    }
    const answered = (answer: PrintAnswer) => settle(Effect.succeed(answer))
    const broke = (cause: unknown) =>
      settle(Effect.fail(new PrintingFailed({ message: `A thread that prints has ended: ${cause}` })))
    worker.on("message", answered).on("error", broke).on("exit", broke)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage(task)
    return Effect.sync(() => worker.off("message", answered).off("error", broke).off("exit", broke))
  })

/**
 * Makes the PDF of a document, and the content of its email. The same document must give the same bytes. Dies if a
 * document cannot be printed or packed. The default works in threads.
 */
export class Printer extends Context.Service<
  Printer,
  {
    /**
     * `logo`: the bytes of the picture that `document.issuer.logo` describes, a PNG or JPEG; null if the issuer has
     * none.
     */
    readonly pdf: (document: FiscalDocument, logo: Uint8Array | null) => Effect.Effect<Uint8Array>
    /**
     * The email of a document. `xml`: the signed document, or the attached document that also holds the authority's
     * response.
     */
    readonly emailPackage: (
      document: FiscalDocument,
      xml: Uint8Array,
      logo: Uint8Array | null
    ) => Effect.Effect<EmailPackage>
  }
>()("@folio-einvoicing/service/Printer") {
  /** The default: threads, up to half of the processors and at most four. They end after five minutes without work. */
  static readonly layer = Layer.effect(
    Printer,
    Effect.gen(function* () {
      const pool = yield* Pool.makeWithTTL({ acquire: thread, min: 0, max: printThreads, timeToLive: idleTime })

      // Uninterruptible: a thread finishes the task that it has begun, and can then take the next task.
      const carryOut = Effect.fn("Printer.carryOut")(
        function* (task: PrintTask) {
          const worker = yield* Pool.get(pool)
          const answer = yield* answerOf(worker, task).pipe(
            Effect.timeout(taskTimeout),
            Effect.tapError(() => Pool.invalidate(pool, worker))
          )
          return answer._tag === "Failed" ? yield* new PrintingFailed({ message: answer.message }) : answer
        },
        Effect.scoped,
        Effect.uninterruptible,
        Effect.orDie
      )

      return Printer.of({
        pdf: (document, logo) =>
          Effect.flatMap(carryOut({ _tag: "Pdf", document, logo }), (answer) =>
            answer._tag === "Pdf" ? Effect.succeed(answer.bytes) : Effect.die("another answer than a PDF")
          ),
        emailPackage: (document, xml, logo) =>
          Effect.flatMap(carryOut({ _tag: "EmailPackage", document, xml, logo }), (answer) =>
            answer._tag === "EmailPackage"
              ? Effect.succeed(answer.emailPackage)
              : Effect.die("another answer than an email package")
          )
      })
    })
  )
}

import { Effect } from "effect"
import { getPriority, setPriority } from "node:os"
import { isMainThread, parentPort } from "node:worker_threads"
import { emailPackage, type EmailPackage } from "../email/EmailPackage.ts"
import type { FiscalDocument } from "../ubl/FiscalDocument.ts"
import { renderPdf } from "./Pdf.ts"

/* A worker thread that prints documents and packs their emails. `Printer` gives a thread one task at a time. */

interface Printed {
  readonly document: FiscalDocument
  readonly logo: Uint8Array | null
}

export type PrintTask =
  | (Printed & { readonly _tag: "Pdf" })
  | (Printed & { readonly _tag: "EmailPackage"; readonly xml: Uint8Array })

export type PrintAnswer =
  | { readonly _tag: "Pdf"; readonly bytes: Uint8Array }
  | { readonly _tag: "EmailPackage"; readonly emailPackage: EmailPackage }
  | { readonly _tag: "Failed"; readonly message: string }

const carryOut = Effect.fnUntraced(function* (task: PrintTask): Effect.fn.Return<PrintAnswer> {
  const { document } = task
  const bytes = yield* renderPdf(document, task.logo)
  if (task._tag === "Pdf") return { _tag: "Pdf", bytes }
  const xml = { name: `${document.full_number}.xml`, bytes: task.xml }
  return {
    _tag: "EmailPackage",
    emailPackage: emailPackage(document, { xml, pdf: { name: `${document.full_number}.pdf`, bytes } })
  }
})

// On Linux only this thread gets the lower priority: a nice value of 5, with which it still has a quarter of a busy
// processor. A service with a lower priority keeps it, because only root may raise it. On other systems a thread has no
// priority of its own.
if (!isMainThread && process.platform === "linux" && getPriority() < 5) setPriority(5)

parentPort?.on("message", (task: PrintTask) => {
  const answer = Effect.catchDefect(carryOut(task), (defect) =>
    Effect.succeed<PrintAnswer>({ _tag: "Failed", message: String(defect) })
  )
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
  Effect.runCallback(answer, { onExit: (exit) => exit._tag === "Success" && parentPort?.postMessage(exit.value) })
})

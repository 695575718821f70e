import { Cause, Effect } from "effect"
import type { Invoice } from "../../schemas/Invoice.ts"
import type { CreditNote, DebitNote } from "../../schemas/Note.ts"
import { readSignedDocument } from "../../src/documents/signature/SignedDocument.ts"
import { Asking } from "./steps/Asking.ts"
import type { Request } from "./steps/Making.ts"
import { Auditor } from "./checks/Auditor.ts"
import type { DocumentCollection } from "./checks/documents/Document.ts"
import { type Entry, isSuccess, type Journal } from "./checks/Journal.ts"
import type { OwnCommands, OwnRequest, Stage } from "./steps/OwnCommands.ts"
import { isMoody, isRough, type Sequence, type Step, type StepOf } from "./steps/Steps.ts"
import type { Pending, Reply, World } from "./worlds/World.ts"

type How = StepOf<"invoice">["how"]

// Longer than any wait in the service, and than any fault.
const patienceMs = 40_000
// Longer than the sweep takes to find work that no actor was notified of.
const sweepMs = 1_500
// For longer waits, the sweeps in between are skipped.
const longMs = 10_000
// These steps' requests are still running when the next step begins.
const atOnce: ReadonlyArray<string> = ["burst", "notes", "own"]
// Many times what a request needs; after that, the request waits for simulated time.
const glancesMax = 40
const aDayMs = 25 * 3_600_000
// Number of times that work may become due before the run reports work without an end.
const roundsMax = 200

export interface Report {
  /** Violations found by the model, in words; empty if there are none. */
  readonly findings: ReadonlyArray<string>
  /** Outcomes that the sequence has met, with their counts. */
  readonly met: ReadonlyMap<string, number>
  /** All requests and responses, in order. */
  readonly journal: Pick<Journal, "entries">
}

/** Runs a sequence against a world, waits until all work has ended, and lets the model check the result. */
export const run = (world: World, sequence: Sequence, own?: OwnCommands): Effect.Effect<Report> =>
  Effect.suspend(() => new Run(world, sequence, own).all)

class Run {
  private readonly world: World
  private readonly steps: ReadonlyArray<Step>
  private readonly rough: boolean
  private readonly auditor: Auditor
  private readonly asking: Asking
  private readonly own: ReturnType<OwnCommands["begin"]> | undefined
  private readonly pending: Array<{ readonly entry: Entry; readonly pending: Pending }> = []

  constructor(world: World, { steps }: Sequence, own: OwnCommands | undefined) {
    this.world = world
    this.steps = steps
    this.rough = steps.some(isRough)
    const { books, hook, isTimed: timed, now, read = readSignedDocument, translate } = world
    const swift = timed && !steps.some((step) => isRough(step) || isMoody(step))
    this.auditor = new Auditor({ books, now, read, rough: this.rough, timed, swift })
    this.asking = new Asking(this.auditor.journal, books, hook, translate)
    world.surroundings.reset(this.auditor)
    this.own = own?.begin(this.stage)
  }

  get all(): Effect.Effect<Report> {
    return Effect.gen({ self: this }, function* () {
      yield* this.send(this.asking.beginning, "wait")
      yield* this.world.pass(1)
      yield* this.send(this.asking.firstInvoices, "wait")
      yield* this.world.pass(1)
      for (const step of this.steps) {
        const how = "how" in step ? step.how : atOnce.includes(step.do) ? "go on" : "wait"
        yield* Effect.andThen(this.unasked(step), this.send(this.asking.requests(step), how))
        if (step.do === "pause") {
          yield* this.world.pass(step.millis, step.millis > longMs)
          yield* this.send(this.asking.resume(step), "wait")
        }
        // Without a wait, the request is still running when the next step begins.
        yield* how === "go on" ? this.world.some : this.world.pass(1)
        this.collect()
        if (this.auditor.findings.length > 0) return this.auditor
      }
      yield* this.finish
      return this.auditor
    })
  }

  /** The effects of a step that is not a request. */
  private unasked(step: Step): Effect.Effect<void> {
    switch (step.do) {
      case "pass":
        return this.world.pass(step.millis, step.millis > longMs)
      case "tomorrow":
        return this.tomorrow
      case "authority":
        return Effect.sync(() => this.world.surroundings.upset(step.mood, step.times))
      case "receiver": {
        const url = this.asking.receiver(step.endpoint)
        return Effect.sync(() => this.world.surroundings.refuse(url, step.mood, step.times))
      }
      case "own":
        return this.owned(`the command ${step.name}`, this.own?.run(step))
      default:
        return this.world.disturb(step)
    }
  }

  /** Runs a team's own command; its failure is a finding. */
  private owned(name: string, effect: Effect.Effect<unknown, unknown> | undefined): Effect.Effect<void> {
    return (effect ?? Effect.die(new Error("it is not registered"))).pipe(
      Effect.asVoid,
      Effect.catchCause((cause) => {
        if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
        return Effect.sync(() => void this.auditor.findings.push(`${name}: ${Cause.pretty(cause)}`))
      })
    )
  }

  private get stage(): Stage {
    const { auditor, rough, world } = this
    return {
      world,
      isRough: rough,
      known: (collection) => auditor.journal.of(collection),
      ask: (request) => this.ask(request),
      create: (collection, { body, book = 0, key }) =>
        Effect.suspend(() => {
          const request = this.asking.create(collection, { body, book, key: key ?? null })
          const { entries } = auditor.journal
          const at = entries.length
          const isAnswered = () => {
            this.collect()
            return entries[at]!.reply !== undefined
          }
          return Effect.andThen(this.send([request], "go on"), this.untilJust(isAnswered)).pipe(
            Effect.map(() => entries[at]!.reply ?? null)
          )
        }),
      mayBe: (id, change) => auditor.journal.mayBe(id, change),
      wrong: (finding) => void auditor.findings.push(finding)
    }
  }

  private ask({ body, book = 0, key, method, path }: OwnRequest): Effect.Effect<Reply | null> {
    return Effect.suspend(() => {
      const apiKey = this.world.books[book]!.apiKeys[0]!
      const text = body === undefined ? null : JSON.stringify(body)
      const pending = this.world.send({ method, path, apiKey, key: key ?? null, body: text })
      const isAnswered = () => pending.reply !== undefined
      return Effect.map(this.untilJust(isAnswered), () => pending.reply ?? null)
    })
  }

  private send(requests: ReadonlyArray<Request>, how: How): Effect.Effect<void> {
    return Effect.suspend(() => {
      for (const request of how === "twice" ? [...requests, ...requests] : requests) {
        const { apiKey, key, method, path, text } = request
        const entry = this.auditor.asked(request)
        const pending = this.world.send({ method, path, apiKey, key, body: text })
        this.pending.push({ entry, pending })
        if (how !== "hang up") continue
        entry.hungUp = true
        pending.hangUp()
      }
      return how === "go on" ? Effect.void : this.wait(how === "hang up" ? 0 : patienceMs)
    })
  }

  /** Waits until every request has its response. */
  private wait(millis: number): Effect.Effect<void> {
    return this.until(() => {
      this.collect()
      return this.pending.length === 0
    }, millis)
  }

  /** Waits until just after the response, so that follow-up work is still running. */
  private untilJust(isDone: () => boolean): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      for (let glance = 0; glance < glancesMax && !isDone(); glance++) yield* this.world.some
      if (!isDone()) yield* this.until(isDone, patienceMs)
    })
  }

  private until(isDone: () => boolean, millis: number): Effect.Effect<void> {
    const end = this.world.now() + millis
    const look: Effect.Effect<void> = Effect.suspend(() => {
      if (isDone() || this.world.now() >= end) return Effect.void
      return Effect.andThen(this.world.wait(end - this.world.now()), look)
    })
    return Effect.andThen(this.world.rest, look)
  }

  private collect(): void {
    for (const one of this.pending.splice(0)) {
      if (one.pending.reply === undefined) this.pending.push(one)
      else this.auditor.answered(one.entry, one.pending.reply)
    }
  }

  /** Waits for every pending response, thaws all machines, and then lets a day pass. */
  private get tomorrow(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      yield* this.world.calm
      yield* this.wait(patienceMs)
      yield* this.world.pass(aDayMs, true)
      this.auditor.journal.era += 1
    })
  }

  private get finish(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      yield* this.world.calm
      yield* this.wait(patienceMs)
      for (const { entry } of this.pending.splice(0)) this.auditor.answered(entry, null)
      this.auditor.settle()
      const left = yield* this.settle
      if (this.own !== undefined) yield* this.owned("at the end", this.own.end)
      const invoices: Array<ReadonlyArray<Invoice>> = []
      const notes: Array<ReadonlyArray<CreditNote | DebitNote>> = []
      for (const book of this.world.books.keys()) {
        invoices.push(yield* this.documentsOf<Invoice>("invoices", book))
        const credit = yield* this.documentsOf<CreditNote>("credit-notes", book)
        notes.push([...credit, ...(yield* this.documentsOf<DebitNote>("debit-notes", book))])
      }
      this.auditor.finish(invoices, {
        left,
        notes,
        inOrder: !this.rough && !this.world.hasTwins,
        mayBreak: this.steps.some((step) => step.do === "defect"),
        operated: this.steps.some((step) => step.do === "operator")
      })
    })
  }

  /** Lets time pass until all work has ended; returns the unfinished work. */
  private get settle(): Effect.Effect<ReadonlyArray<string>> {
    return Effect.gen({ self: this }, function* () {
      for (let round = 0; ; round++) {
        yield* this.world.pass(sweepMs)
        const { left, millis } = yield* this.world.open
        if (left.length === 0 || round === roundsMax) return left
        yield* this.world.pass(millis, true)
      }
    })
  }

  /** All documents of a kind in a book, page by page. */
  private documentsOf<Document extends { readonly id: string }>(
    collection: DocumentCollection,
    book: number
  ): Effect.Effect<ReadonlyArray<Document>> {
    return Effect.gen({ self: this }, function* () {
      const all: Array<Document> = []
      for (let more = true; more;) {
        yield* this.send([this.asking.all(collection, book, all.at(-1)?.id ?? "")], "wait")
        const last = this.auditor.journal.entries.at(-1)!
        if (!isSuccess(last)) return all
        const page: { readonly data: ReadonlyArray<Document>; readonly has_more: boolean } = JSON.parse(
          last.reply!.text
        )
        all.push(...page.data)
        more = page.has_more
      }
      return all
    })
  }
}

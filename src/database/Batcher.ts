import { type Cause, Deferred, Effect, Exit, Latch, Metric, type Scope, type Tracer } from "effect"
import { ReadyFibersRun } from "../runtime/turns/AccountLanes.ts"
import * as Metrics from "../runtime/Metrics.ts"
import { isDisconnected } from "./SqlFailure.ts"

/**
 * Gathers single writes into batches without a timer. A write starts immediately if no batch is in flight and the
 * process is not busy. Writes that arrive during a batch form the next batch. Items keep the order of their offers.
 *
 * A failed batch is repeated item by item, so that an invalid item cannot fail the others. So `run` must be safe to
 * repeat. A batch that loses its connection is repeated once as a whole. If it loses the connection again, it fails as
 * a whole, so that its items do not wait for a connection one after the other.
 *
 * An offered item is written even if its fiber is interrupted, because a batch belongs to all of its items.
 *
 * @param options.max    the largest number of items in a batch
 * @param options.run    writes a batch; returns one result for each item, in order
 * @param options.blind true if a repetition cannot distinguish the effects of the first run from other effects. A
 *                       batch that loses its connection then fails without a repetition, and the caller of each item
 *                       must check the item's outcome.
 */
export const make = <A, B, E>(options: {
  readonly name: string
  readonly max: number
  readonly blind?: boolean
  readonly run: (items: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E>
}): Effect.Effect<Offer<A, B, E>, never, Scope.Scope> =>
  Effect.gen(function* () {
    let waiting: Array<Entry<A, B, E>> = []
    const offered = Latch.makeUnsafe()
    const readyFibersRun = yield* ReadyFibersRun

    const size = Metrics.batchSizes(options.name)
    const duration = Metrics.batchDurations(options.name)

    const attempt = (entries: ReadonlyArray<Entry<A, B, E>>) =>
      Metrics.measure(
        Effect.suspend(() => options.run(entries.map((entry) => entry.item))).pipe(
          Effect.withSpan(`Batcher.${options.name}`, spanOf(entries))
        ),
        () => duration
      ).pipe(Effect.exit, Effect.tap(Metric.update(size, entries.length)))

    const settle = (entries: ReadonlyArray<Entry<A, B, E>>, exit: Exit.Exit<ReadonlyArray<B>, E>) => {
      entries.forEach(({ settle: answer }, index) => answer(Exit.map(exit, (answers) => answers[index] as B)))
    }

    const repeat = (entries: ReadonlyArray<Entry<A, B, E>>, how: string, cause: Cause.Cause<E>) =>
      Effect.logWarning(`A batch of ${entries.length} failed and is repeated ${how}`, cause).pipe(
        Effect.annotateLogs({ batcher: options.name }),
        Effect.andThen(Metric.update(Metrics.batchesRepeated(options.name), 1))
      )

    const write = Effect.fnUntraced(function* (entries: ReadonlyArray<Entry<A, B, E>>) {
      let exit = yield* attempt(entries)
      if (Exit.isSuccess(exit) || entries.length === 1) return settle(entries, exit)
      if (isDisconnected(exit.cause)) {
        if (options.blind === true) return settle(entries, exit)
        yield* repeat(entries, "on another connection", exit.cause)
        exit = yield* attempt(entries)
        if (Exit.isSuccess(exit) || isDisconnected(exit.cause)) return settle(entries, exit)
      }
      yield* repeat(entries, "item by item", exit.cause)
      for (const entry of entries) settle([entry], yield* attempt([entry]))
    })

    // The writer is a separate fiber, started once. So an interrupted offer cannot stop the writer, and no batch runs
    // inside a caller's transaction.
    yield* Effect.gen(function* () {
      yield* offered.await
      // The yield lets items that other fibers offer at the same moment join the batch.
      yield* Effect.yieldNow
      offered.closeUnsafe()
      while (waiting.length > 0) {
        // Waits for the ready fibers, whose items then join the batch: a statement with one row costs as much as a
        // statement with several rows.
        yield* readyFibersRun
        yield* write(waiting.splice(0, options.max))
      }
    }).pipe(Effect.forever, Effect.forkScoped)

    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        const left = waiting
        waiting = []
        for (const entry of left) entry.settle(Exit.interrupt())
      })
    )

    const add = (item: A, span: Entry<A, B, E>["span"], answer: Entry<A, B, E>["settle"]) => {
      waiting.push({ item, span, settle: answer })
      offered.openUnsafe()
    }
    const one = (item: A): Effect.Effect<B, E> =>
      Effect.withFiber((fiber) => {
        const answer = Deferred.makeUnsafe<B, E>()
        add(item, fiber.cache.span, (exit) => Deferred.doneUnsafe(answer, exit))
        // Without the yield, all items of a batch would continue in one turn of the event loop.
        return Effect.tap(Deferred.await(answer), Effect.yieldNow)
      })
    const all = (items: ReadonlyArray<A>): Effect.Effect<ReadonlyArray<Exit.Exit<B, E>>> =>
      Effect.withFiber((fiber) => {
        if (items.length === 0) return Effect.succeed([])
        const answers: Array<Exit.Exit<B, E>> = []
        const answered = Deferred.makeUnsafe<ReadonlyArray<Exit.Exit<B, E>>>()
        let left = items.length
        items.forEach((item, index) =>
          add(item, fiber.cache.span, (exit) => {
            answers[index] = exit
            left -= 1
            if (left === 0) Deferred.doneUnsafe(answered, Exit.succeed(answers))
          })
        )
        return Effect.tap(Deferred.await(answered), Effect.yieldNow)
      })
    return Object.assign(one, { all })
  })

/** Offers one item, or several adjacent items (`all`). Each item gets its own result. */
export type Offer<A, B, E> = ((item: A) => Effect.Effect<B, E>) & {
  readonly all: (items: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<Exit.Exit<B, E>>>
}

interface Entry<A, B, E> {
  readonly item: A
  readonly settle: (exit: Exit.Exit<B, E>) => void
  readonly span: Tracer.AnySpan | undefined
}

/**
 * The options of a batch's span. With one sampled item, the batch's span is a child of the item's span. Otherwise the
 * batch has its own trace, with links to the spans of its sampled items.
 */
const spanOf = (entries: ReadonlyArray<{ readonly span: Tracer.AnySpan | undefined }>): Tracer.SpanOptions => {
  const spans = entries.flatMap(({ span }) => (span?.sampled === true ? [span] : []))
  const attributes = { size: entries.length }
  const [only, ...others] = spans
  if (only !== undefined && others.length === 0) return { attributes, parent: only }
  return { attributes, root: true, links: spans.map((span) => ({ span, attributes: {} })) }
}

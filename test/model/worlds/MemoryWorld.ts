// As in src/cli/Launch.ts: what is tested is what runs.
import "effect/schema/SchemaJITCompiler/enable"
import { NodeDns } from "@effect/platform-node"
import { Context, Effect, Layer, Random, Redacted, References, Scope } from "effect"
import { Sharding } from "effect/cluster"
import { SecureRandom } from "effect/crypto"
import * as App from "../../../src/App.ts"
import { ServiceInfo } from "../../../src/api/ServiceInfo.ts"
import { applicationResponse } from "../../../src/documents/parcel/ApplicationResponse.ts"
import { fromPem, makeSelfSigned, SandboxCertificate } from "../../../src/documents/signature/Certificate.ts"
import { readSignedDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { Authority } from "../../../src/outbound/authority/Authority.ts"
import * as AuthoritySandbox from "../../../src/outbound/authority/AuthoritySandbox.ts"
import { EgressGuard } from "../../../src/outbound/webhooks/EgressGuard.ts"
import { type WebhookResponse, WebhookSender } from "../../../src/outbound/webhooks/WebhookSender.ts"
import { Fault } from "../../../src/protocol/Fault.ts"
import { Ids } from "../../../src/store/sql/Ids.ts"
import { SecretKey } from "../../../src/store/sql/Secrets.ts"
import { Workers } from "../../../src/store/sql/Workers.ts"
import { liveSoftware } from "../../support/authority/LiveAccounts.ts"
import { sharedPrinter } from "../../support/apps/SharedPrinter.ts"
import * as MemoryStore from "../../support/memory/MemoryStore.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { batched, fill } from "../steps/Batches.ts"
import { Cluster } from "./Cluster.ts"
import { Faults } from "./Faults.ts"
import { books, seedBooks } from "../checks/Books.ts"
import { routes, signHere } from "./InProcess.ts"
import { operate } from "../steps/Operator.ts"
import { type Machine, Simulation } from "./Simulation.ts"
import type { Step } from "../steps/Steps.ts"
import { Surroundings } from "./Surroundings.ts"
import type { Pending, Sent, World } from "./World.ts"

/** When every sequence begins: ten in the morning of the authority's zone. */
const start = Date.parse("2026-11-21T15:00:00.000Z")
const machines = 2
const receiverTimeout = "15 seconds"
// As that of processes on a database.
const workerLeaseMillis = 7_000
// About as many as a request takes, so that a client goes away, or another one comes, at any moment of it.
const someSteps = 25

export interface MemoryWorldOptions {
  /** The authority that documents are submitted to, made anew for each sequence; the sandbox where it is left out. */
  readonly authority?: Layer.Layer<Authority>
  /** Services of the store that stand in for those in memory, which they may ask for. */
  readonly store?: Layer.Layer<never, never, Layer.Success<typeof MemoryStore.layer>>
}

export interface MemoryWorld extends World {
  /** Forgets everything and begins anew; the same seed gives the same run. */
  readonly reset: (seed: number) => Effect.Effect<void>
}

/**
 * The service in memory, on simulated machines: its own routes and actors, a store that can fail as PostgreSQL does, an
 * authority and receivers that can be in any mood. All that takes long to make is made once; a sequence begins with a reset.
 */
export const make = Effect.fnUntraced(function* (options: MemoryWorldOptions = {}) {
  yield* signHere
  // One for the sandbox and for live documents: none of them tells anything of its key.
  const pem = yield* makeSelfSigned("Folio test", new Date(start))
  const simulation = new Simulation({ now: start, seed: 0 })
  const surroundings = new Surroundings()
  const faults = new Faults()
  // Where requests are served, and where authority and receivers are: machines that nothing happens to.
  const edge = simulation.start("edge")
  const outside = simulation.start("outside")

  let ulids = SecureRandom.make(() => new Uint8Array())
  const random = SecureRandom.SecureRandom.of({
    ...ulids,
    randomBytes: (size) => Effect.suspend(() => ulids.randomBytes(size)),
    ulid: Effect.suspend(() => ulids.ulid)
  })
  const bytes = (size: number) => Uint8Array.from({ length: size }, () => Math.floor(simulation.random() * 256))

  const quiet = Layer.mergeAll(
    Layer.succeed(References.MinimumLogLevel, "None"),
    Layer.succeed(References.TracerEnabled, false),
    Layer.succeed(Random.Random, {
      nextIntUnsafe: () => Math.floor(simulation.random() * Number.MAX_SAFE_INTEGER),
      nextDoubleUnsafe: simulation.random
    })
  )
  const memory = yield* Layer.build(
    Layer.mergeAll(
      MemoryStore.layer,
      Ids.layer,
      Layer.succeed(SandboxCertificate, fromPem(pem)),
      sharedPrinter,
      liveSoftware,
      EgressGuard.layer({}).pipe(Layer.provide(NodeDns.layer)),
      Layer.succeed(ServiceInfo, { version: "0.1.0", baseUrl: "http://folio.test" })
    ).pipe(Layer.provideMerge(Layer.succeed(SecureRandom.SecureRandom, random)), Layer.provideMerge(quiet))
  )
  const { tables } = Context.get(memory, MemoryTables)
  const own = yield* Effect.provide(Layer.build(options.store ?? Layer.empty), memory)
  const shared = Context.merge(memory, own)
  const store = Context.merge(shared, faults.disturb(shared)).pipe(
    Context.add(SecretKey, Redacted.make(new Uint8Array(32)))
  )

  /** Runs to its end, which takes no time. */
  const now = <A>(machine: Machine, effect: Effect.Effect<A>): A => {
    const fiber = Effect.runForkWith(simulation.context(machine))(effect)
    simulation.run()
    const exit = fiber.pollUnsafe()
    if (exit === undefined || exit._tag === "Failure") throw new Error(`not done at once: ${JSON.stringify(exit)}`)
    return exit.value
  }

  const authorityLayer =
    options.authority ?? AuthoritySandbox.layer({ read: readSignedDocument, respond: applicationResponse, latency: 0 })
  let authority: Authority["Service"] | undefined

  const outbound = (machine: Machine) =>
    Context.make(
      Authority,
      Authority.of({
        submit: (submission) =>
          Effect.suspend(() => simulation.elsewhere(machine, outside, authority!.submit(submission))),
        verdict: (document) =>
          Effect.suspend(() => simulation.elsewhere(machine, outside, authority!.verdict(document)))
      })
    ).pipe(
      Context.add(
        WebhookSender,
        WebhookSender.of({
          send: ({ body, headers, url }) =>
            simulation.elsewhere(
              machine,
              outside,
              Effect.suspend(() => {
                const { answered, status } = surroundings.receive({ url, headers, body: String(body) })
                const answer = Effect.sync(() => (answered(), response(status)))
                return status === null ? Effect.delay(answer, receiverTimeout) : answer
              })
            )
        })
      )
    )

  const boot = (machine: Machine, sharding: Sharding.Sharding["Service"]): Context.Context<never> => {
    const crash = () => cluster.kill(cluster.indexOf(machine))
    const base = store.pipe(
      Context.merge(outbound(machine)),
      Context.add(Sharding.Sharding, sharding),
      Context.add(Fault, faults.at(crash)),
      Context.add(Workers, {
        ...Context.get(store, Workers),
        isAlive: Effect.sync(() => simulation.isSeen(machine, workerLeaseMillis))
      }),
      Context.merge(simulation.context(machine))
    )
    const scope = Scope.makeUnsafe()
    const node = now(machine, batched(store, faults.statement).pipe(Effect.provide(shared), Scope.provide(scope)))
    const context = Context.merge(base, node)
    now(machine, Layer.build(Layer.fresh(App.actorsLayer)).pipe(Effect.provide(context), Scope.provide(scope)))
    return context as Context.Context<never>
  }
  const cluster = new Cluster(simulation, boot)

  const answer = yield* Effect.provide(routes, Context.add(store, Sharding.Sharding, cluster.sharding(edge)))

  const runSome = () => simulation.run(Math.floor(simulation.random() * someSteps))

  const send = (sent: Sent): Pending => {
    const hangUp = () => {
      runSome()
      fiber.interruptUnsafe()
    }
    const pending: Pending = { reply: undefined, hangUp }
    const fiber = Effect.runForkWith(Context.merge(store, simulation.context(edge)))(answer(sent))
    fiber.addObserver((exit) => {
      pending.reply = exit._tag === "Success" ? exit.value : null
    })
    return pending
  }

  const reset = (seed: number) =>
    Effect.gen(function* () {
      simulation.reset({ now: start, seed, again: [edge, outside] })
      fill(tables)
      faults.clear()
      ulids = SecureRandom.make(bytes)
      const inner = yield* Effect.scoped(Layer.build(Layer.fresh(authorityLayer)))
      authority = surroundings.around(Context.get(inner, Authority))
      now(edge, seedBooks(new Date(start), pem).pipe(Effect.provide(shared)))
      cluster.reset(machines)
    })

  const disturb = (step: Step): void => {
    switch (step.do) {
      case "statement":
        return faults.arm({ kind: step.fault, call: step.call, skip: step.skip })
      case "crash":
        return faults.arm({ kind: "crash", point: step.point, skip: step.skip })
      case "defect":
        for (let time = 0; time < step.times; time++) faults.arm({ kind: "defect", point: step.point, skip: 0 })
        return
      case "tells":
        return cluster.loseTells(step.times)
      case "machine":
        return faults.after(step.after, () =>
          step.what === "move" ? cluster.move() : cluster[step.what](step.machine)
        )
      case "thaw":
        return cluster.thaw(step.machine)
      case "operator":
        return now(edge, operate(step.command, step.item).pipe(Effect.provide(shared)))
    }
  }

  const calm = Effect.sync(() => {
    faults.clear()
    surroundings.calm()
    cluster.heal()
  })

  const open = Effect.sync(() => {
    const documents = [...tables.invoices.values()].flatMap(({ id, next_action_at, state }) =>
      next_action_at === null ? [] : [{ what: `${id} (${state})`, due: next_action_at }]
    )
    const deliveries = [...tables.deliveries.values()].flatMap(({ endpoint_id, id, next_attempt_at, status }) =>
      status === "pending" && tables.endpoints.get(endpoint_id)?.is_active === true
        ? [{ what: id, due: next_attempt_at }]
        : []
    )
    const left = [...documents, ...deliveries]
    // What is overdue is taken at the next sweep, or waits for something before it.
    const later = left.map(({ due }) => due - simulation.now).filter((millis) => millis > 0 && millis < Infinity)
    return { left: left.map(({ what }) => what), millis: later.length === 0 ? 0 : Math.min(...later) }
  })

  const world: MemoryWorld = {
    books,
    surroundings,
    now: () => simulation.now,
    isTimed: true,
    hasTwins: false,
    hook: (name) => `https://hooks.example.com/${name}`,
    send,
    reset,
    rest: Effect.sync(() => simulation.run()),
    some: Effect.sync(runSome),
    pass: (millis, leap) => Effect.sync(() => (leap === true ? simulation.leap(millis) : simulation.pass(millis))),
    wait: (millis) => Effect.sync(() => simulation.pass(Math.min(millis, simulation.untilNext ?? millis))),
    disturb: (step) => Effect.sync(() => disturb(step)),
    calm,
    open
  }
  return world
})

const response = (status: number | null): WebhookResponse => ({
  remoteIp: "192.0.2.1",
  status,
  headers: {},
  body: "",
  durationMs: 1,
  error:
    status === null
      ? { code: "timeout", message: "No answer in time." }
      : status < 300
        ? null
        : { code: "status", message: `The endpoint answered ${status}.` }
})

// As in src/cli/operator/Launch.ts, so that the tests run the same code as the service.
import "effect/schema/SchemaJITCompiler/enable"
import { Context, Effect, Layer, Random, Redacted, References, Scope } from "effect"
import { Sharding } from "effect/cluster"
import { SecureRandom } from "effect/crypto"
import { Dns } from "effect/net"
import { Alerts } from "../../../src/operations/Alerts.ts"
import * as Layers from "../../../src/service/Layers.ts"
import { ServiceInfo } from "../../../src/runtime/ServiceInfo.ts"
import { emailPackage } from "../../../src/documents/email/EmailPackage.ts"
import { NationalProfile } from "../../../src/documents/NationalProfile.ts"
import { Printer } from "../../../src/documents/print/Printer.ts"
import { fromPem, makeSelfSigned, SandboxCertificate } from "../../../src/documents/signature/Certificate.ts"
import { SigningKeys } from "../../../src/documents/signature/SigningKeys.ts"
import { Authority } from "../../../src/invoices/authority/Authority.ts"
import { EgressGuard } from "../../../src/webhooks/sender/EgressGuard.ts"
import { WebhookSender } from "../../../src/webhooks/sender/WebhookSender.ts"
import { Mailer } from "../../../src/invoices/mail/Mailer.ts"
import { Busyness } from "../../../src/runtime/turns/Busyness.ts"
import { Notify } from "../../../src/accounts/Notify.ts"
import { Fault } from "../../../src/runtime/Fault.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { SecretKey } from "../../../src/database/Secrets.ts"
import { Workers } from "../../../src/database/Workers.ts"
import { colombia } from "../../support/authority/LiveAccounts.ts"
import * as MemoryStore from "../../support/memory/MemoryStore.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { batched, fill } from "../steps/Batches.ts"
import { Cluster } from "./Cluster.ts"
import { Faults } from "./Faults.ts"
import { booksOf, seedBooks } from "../checks/Books.ts"
import { routes, signHere } from "./InProcess.ts"
import { memoryPorts } from "./MemoryPorts.ts"
import type { MemoryServices, MemoryWorld, MemoryWorldOptions } from "./MemoryWorldTypes.ts"
import { operate } from "../steps/Operator.ts"
import { type Machine, Simulation } from "./Simulation.ts"
import type { Step } from "../steps/Steps.ts"
import { Surroundings } from "./Surroundings.ts"
import type { Pending, Sent } from "./World.ts"
import { Limits } from "../../../src/runtime/Limits.ts"

/** The start of every sequence: ten in the morning in the authority's time zone. */
const start = Date.parse("2026-11-21T15:00:00.000Z")
const machines = 2
// The lease of processes on a database.
const workerLeaseMillis = 7_000
// About as many as a request takes, so that a client disconnects, or another one arrives, at any moment of it.
const someSteps = 25
const jobMs = 3_600_000
// No DNS look-ups: webhooks go to simulated receivers.
const noNames = Layer.orDie(Dns.layerStatic({}))

// The working time of a machine is not measured, so that a sequence runs the same way each time.
const limits = Layer.mergeAll(
  Limits.layer(),
  Alerts.layer,
  Layer.succeed(Busyness, () => 0)
)

const actors = Layers.layerActors.pipe(Layer.provide([Notify.layer, Layers.layerDocuments]))

/** Prints almost nothing, and without a thread, whose result would arrive at another moment each time. */
const inkless = Printer.of({
  pdf: ({ cufe }) => Effect.succeed(new TextEncoder().encode(`%PDF ${cufe}`)),
  emailPackage: (document, bytes, logo) =>
    Effect.map(inkless.pdf(document, logo), (pdf) =>
      emailPackage(document, {
        xml: { name: `${document.full_number}.xml`, bytes },
        pdf: { name: `${document.full_number}.pdf`, bytes: pdf }
      })
    )
})

/**
 * The service in memory, on simulated machines: its own routes and actors, a store that can fail like PostgreSQL, and
 * an authority and receivers in any mood. Slow parts are built once; each sequence begins with a reset.
 */
export const make = Effect.fnUntraced(function* (options: MemoryWorldOptions = {}) {
  yield* signHere
  // The sandbox and live documents share one key: no content depends on it.
  const pem = yield* makeSelfSigned("Folio test", new Date(start))
  const simulation = new Simulation({ now: start, seed: 0 })
  const surroundings = new Surroundings()
  const faults = new Faults()
  // Requests are served, and authority and receivers run, on machines without faults.
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
      SigningKeys.layer,
      options.printer ?? Layer.succeed(Printer, inkless),
      EgressGuard.layer({}).pipe(Layer.provide(noNames)),
      ServiceInfo.layer({ version: "0.1.0", baseUrl: "http://folio.test" }),
      limits
    ).pipe(
      Layer.provideMerge(options.profile ?? colombia),
      Layer.provideMerge(Layer.succeed(SecureRandom.SecureRandom, random)),
      Layer.provideMerge(quiet)
    )
  )
  const { tables } = Context.get(memory, MemoryTables)
  const { numbering, sandbox } = Context.get(memory, NationalProfile)
  const own = yield* Effect.provide(Layer.build(options.store ?? Layer.empty), memory)
  const shared = Context.merge(memory, own)
  const store = Context.merge(shared, faults.disturb(shared)).pipe(
    Context.add(SecretKey, Redacted.make(new Uint8Array(32)))
  )

  /** Runs an effect to its end, without simulated time. */
  const now = <A>(machine: Machine, effect: Effect.Effect<A>): A => {
    const fiber = Effect.runForkWith(simulation.context(machine))(effect)
    simulation.run()
    const exit = fiber.pollUnsafe()
    if (exit === undefined || exit._tag === "Failure")
      throw new Error(`not done without simulated time: ${JSON.stringify(exit)}`)
    return exit.value
  }

  const ports = yield* memoryPorts(options, surroundings)

  const outbound = (machine: Machine) => {
    const elsewhere = <A, E>(call: () => Effect.Effect<A, E>) =>
      Effect.suspend(() => simulation.elsewhere(machine, outside, call()))
    return Context.make(
      Authority,
      Authority.of({
        submit: (submission) => elsewhere(() => ports.now.authority.submit(submission)),
        verdict: (document) => elsewhere(() => ports.now.authority.verdict(document))
      })
    ).pipe(
      Context.add(
        WebhookSender,
        WebhookSender.of({ send: (request) => elsewhere(() => ports.now.sender.send(request)) })
      ),
      // The content of an email is made when it is sent.
      Context.add(
        Mailer,
        Mailer.of({ send: (envelope, message) => Effect.suspend(() => ports.now.mailer.send(envelope, message)) })
      )
    )
  }

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
    now(machine, Layer.build(Layer.fresh(actors)).pipe(Effect.provide(context), Scope.provide(scope)))
    return context as Context.Context<never>
  }
  const cluster = new Cluster(simulation, boot)

  // From the authority, routes only read whether it serves live documents.
  const beside = store.pipe(
    Context.add(Sharding.Sharding, cluster.sharding(edge)),
    Context.add(Authority, ports.now.authority)
  )
  const answer = yield* Effect.provide(routes(options.routes ?? Layer.empty), beside)

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
      yield* ports.renew
      now(edge, seedBooks(new Date(start), pem, sandbox).pipe(Effect.provide(shared)))
      cluster.reset(machines)
    })

  const runJob = <A, E>(job: Effect.Effect<A, E, MemoryServices>) =>
    Effect.suspend(() => {
      const fiber = Effect.runForkWith(Context.merge(beside, simulation.context(edge)))(job)
      const until = simulation.now + jobMs
      simulation.run()
      while (fiber.pollUnsafe() === undefined && simulation.now < until) {
        simulation.pass(Math.min(simulation.untilNext ?? jobMs, until - simulation.now))
      }
      return fiber.pollUnsafe() ?? Effect.die(new Error("the job has not ended within an hour"))
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
      case "outage":
        return surroundings.away(simulation.now + step.millis)
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
        ? [{ what: `${endpoint_id} (${id})`, due: next_attempt_at }]
        : []
    )
    const emails = [...tables.emails.values()].flatMap(({ id, invoice_id, next_attempt_at }) =>
      next_attempt_at === null ? [] : [{ what: `${invoice_id} (${id})`, due: next_attempt_at }]
    )
    const left = [...documents, ...deliveries, ...emails]
    // Overdue work is taken at the next sweep, or waits for earlier work.
    const later = left.map(({ due }) => due - simulation.now).filter((millis) => millis > 0 && millis < Infinity)
    return { left: left.map(({ what }) => what), millis: later.length === 0 ? 0 : Math.min(...later) }
  })

  const world: MemoryWorld = {
    books: booksOf(sandbox, numbering),
    surroundings,
    ...(options.read && { read: options.read }),
    ...(options.translate && { translate: options.translate }),
    now: () => simulation.now,
    isTimed: true,
    hasTwins: false,
    hook: (name) => `https://hooks.example.com/${name}`,
    send,
    reset,
    run: runJob,
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

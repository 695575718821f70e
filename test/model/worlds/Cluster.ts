import { Context, Duration, Effect, Exit, Fiber, Scope, Semaphore } from "effect"
import { Entity, type Sharding } from "effect/cluster"
import type { Rpc } from "effect/rpc"
import type { Machine, Simulation } from "./Simulation.ts"

type Handlers = Context.Context<never>

/** A kind of actor, as its layer registered it on a machine. */
interface Registered {
  readonly build: Effect.Effect<Handlers, never, Scope.Scope | Entity.CurrentAddress>
  readonly context: Context.Context<never>
  readonly concurrency: number | "unbounded"
  readonly maxIdleMillis: number
}

/** A running actor on a machine. */
interface Activation {
  readonly scope: Scope.Closeable
  readonly turn: Semaphore.Semaphore | undefined
  readonly handlers: Fiber.Fiber<Handlers>
  busy: number
  lastUsed: number
}

/** A machine with its actors. Nothing here outlives it. */
interface Node {
  readonly machine: Machine
  readonly context: Context.Context<never>
  readonly kinds: Map<string, Registered>
  readonly actors: Map<string, Activation>
  readonly singletons: Array<(own: Context.Context<never>) => Effect.Effect<unknown>>
  sweeping: boolean
}

interface Message {
  readonly entity: Entity.Any
  readonly id: string
  readonly tag: string
  readonly payload: unknown
  /** Receives the reply of an ask; a tell has none. */
  readonly reply: ((exit: Exit.Exit<unknown, unknown>) => void) | undefined
}

/** Starts the actors of a machine, and returns the context of its fibers. */
type Boot = (machine: Machine, sharding: Sharding.Sharding["Service"]) => Context.Context<never>

/**
 * The actors' cluster on simulated machines, with its possible faults: a lost tell, an owner that dies or is frozen,
 * and an owner that takes over while its predecessor still runs. It replaces `Sharding`, whose own timers and storage
 * would take most of a test's time. The actors are the service's own.
 */
export class Cluster {
  private readonly simulation: Simulation
  private readonly boot: Boot
  private nodes: Array<Node> = []
  private leader = 0
  private turned = 0
  private tellsToLose = 0

  constructor(simulation: Simulation, boot: Boot) {
    this.simulation = simulation
    this.boot = boot
  }

  /** Starts again, with empty machines. */
  reset(machines: number): void {
    this.leader = 0
    this.turned = 0
    this.tellsToLose = 0
    this.nodes = Array.from({ length: machines }, (_, index) => this.startNode(index))
    this.lead(0)
  }

  loseTells(count: number): void {
    this.tellsToLose += count
  }

  /** Moves each actor to another machine. Running actors finish the work that they have begun. */
  move(): void {
    this.turned += 1
    this.lead((this.leader + 1) % this.nodes.length)
  }

  /** Kills the machine; a new one replaces it. */
  kill(index: number): void {
    const node = this.at(index)
    this.simulation.kill(node.machine)
    this.nodes[index % this.nodes.length] = this.startNode(index % this.nodes.length)
    if (index % this.nodes.length === this.leader) this.lead(this.leader)
  }

  /** Freezes the machine; the others take over its actors. */
  freeze(index: number): void {
    this.simulation.freeze(this.at(index).machine)
    if (this.isRunning(this.at(this.leader))) return
    const awake = this.nodes.findIndex((node) => this.isRunning(node))
    if (awake !== -1) this.lead(awake)
  }

  /** Resumes the machine, which does not know that others have taken over. */
  thaw(index: number): void {
    this.simulation.thaw(this.at(index).machine)
  }

  /** From now on no tell is lost and all machines run. */
  heal(): void {
    this.tellsToLose = 0
    for (const { machine } of this.nodes) this.simulation.thaw(machine)
  }

  indexOf(machine: Machine): number {
    return this.nodes.findIndex((node) => node.machine === machine)
  }

  /** The cluster, as the machine's actors and routes see it. */
  sharding(machine: Machine, node?: Node): Sharding.Sharding["Service"] {
    const service = {
      makeClient: (entity: Entity.Any) => Effect.succeed((id: string) => this.client(machine, entity, id)),
      registerEntity: (
        entity: Entity.Entity<string, Rpc.Any>,
        handlers: Effect.Effect<never>,
        options: { readonly maxIdleTime?: Duration.Input; readonly concurrency?: number | "unbounded" } = {}
      ) =>
        Effect.contextWith((context: Context.Context<never>) =>
          Effect.sync(() =>
            node?.kinds.set(entity.type, {
              build: entity.protocol.toHandlers(handlers) as Registered["build"],
              context,
              concurrency: options.concurrency ?? 1,
              maxIdleMillis: Duration.toMillis(options.maxIdleTime ?? "1 minute")
            })
          )
        ),
      registerSingleton: (_name: string, run: Effect.Effect<void>) =>
        Effect.contextWith((context: Context.Context<never>) =>
          Effect.sync(() => {
            node?.singletons.push((own) => Effect.provide(run, Context.merge(context, own)))
          })
        ),
      // Each actor is a shard of its own.
      getShardId: (id: string) => id,
      hasShardId: (id: string) => this.owner(id) === node
    }
    return service as unknown as Sharding.Sharding["Service"]
  }

  private at(index: number): Node {
    return this.nodes[index % this.nodes.length]!
  }

  private isRunning(node: Node): boolean {
    return node.machine.state === "running"
  }

  private startNode(index: number): Node {
    const machine = this.simulation.start(`machine ${index}`)
    const node: Node = {
      machine,
      context: Context.empty(),
      kinds: new Map(),
      actors: new Map(),
      singletons: [],
      sweeping: false
    }
    return Object.assign(node, { context: this.boot(machine, this.sharding(machine, node)) })
  }

  private lead(index: number): void {
    this.leader = index
    const node = this.at(index)
    if (node.sweeping || node.singletons.length === 0) return
    node.sweeping = true
    const own = this.simulation.context(node.machine, true)
    for (const singleton of node.singletons) Effect.runForkWith(node.context)(singleton(own))
  }

  private owner(id: string): Node {
    let hash = this.turned
    for (const letter of id) hash = (hash * 31 + letter.charCodeAt(0)) | 0
    const owner = this.at(Math.abs(hash + this.turned))
    return this.isRunning(owner) ? owner : (this.nodes.find((node) => this.isRunning(node)) ?? owner)
  }

  /** A client of one actor: each member asks, or tells if it needs no reply. */
  private client(machine: Machine, entity: Entity.Any, id: string): unknown {
    const call = (tag: string) => (payload: unknown, options?: { readonly discard?: boolean }) =>
      options?.discard === true
        ? Effect.sync(() => this.tell({ entity, id, tag, payload, reply: undefined }))
        : this.ask(machine, { entity, id, tag, payload })
    return Object.fromEntries([...entity.protocol.requests.keys()].map((tag) => [tag, call(tag)]))
  }

  private tell(message: Message): void {
    if (this.tellsToLose > 0) {
      this.tellsToLose -= 1
      return
    }
    this.deliver(this.owner(message.id), message)
  }

  // The caller's own time-out ends an ask without a reply.
  private ask(machine: Machine, message: Omit<Message, "reply">): Effect.Effect<unknown, unknown> {
    return Effect.callback<unknown, unknown>((resume) => {
      const asking = this.deliver(this.owner(message.id), {
        ...message,
        reply: (exit) => {
          if (machine.state !== "dead") machine.ready.push(() => resume(exit))
        }
      })
      return Effect.sync(() => asking.cancel())
    })
  }

  private deliver(node: Node, message: Message): { readonly cancel: () => void } {
    let fiber: Fiber.Fiber<unknown, unknown> | undefined
    let canceled = false
    const task = (run: () => void) => {
      if (node.machine.state !== "dead") node.machine.ready.push(run)
    }
    task(() => {
      if (!canceled) fiber = this.handle(node, message)
    })
    return {
      cancel: () => {
        canceled = true
        task(() => fiber?.interruptUnsafe())
      }
    }
  }

  private handle(node: Node, message: Message): Fiber.Fiber<unknown, unknown> {
    const actor = this.actor(node, message)
    actor.busy += 1
    const handler = Effect.flatMap(Fiber.join(actor.handlers), (handlers) => {
      const rpc = message.entity.protocol.requests.get(message.tag) as Rpc.AnyWithProps
      const entry = handlers.mapUnsafe.get(rpc.key) as {
        readonly handler: (request: unknown) => Effect.Effect<unknown, unknown>
        readonly context: Context.Context<never>
      }
      return Effect.provide(entry.handler({ payload: message.payload }), entry.context)
    })
    const fiber = Effect.runForkWith(node.context)(
      actor.turn === undefined ? handler : actor.turn.withPermits(1)(handler)
    )
    fiber.addObserver((exit) => {
      actor.busy -= 1
      actor.lastUsed = this.simulation.now
      if (node.machine.state === "dead") return
      message.reply?.(exit)
    })
    return fiber
  }

  /** The actor. It is stopped after a long idle time, and then starts again from its rows. */
  private actor(node: Node, { entity, id }: Message): Activation {
    const { now } = this.simulation
    const name = `${entity.type}/${id}`
    const kind = node.kinds.get(entity.type)
    if (kind === undefined) throw new Error(`no ${entity.type} on ${node.machine.name}`)
    const found = node.actors.get(name)
    if (found !== undefined && (found.busy > 0 || now - found.lastUsed < kind.maxIdleMillis)) return found
    const run = Effect.runForkWith(node.context)
    if (found !== undefined) run(Scope.close(found.scope, Exit.void))
    const scope = Scope.makeUnsafe()
    const address = { entityType: entity.type, entityId: id } as unknown as Entity.CurrentAddress["Service"]
    const actor: Activation = {
      scope,
      turn: kind.concurrency === "unbounded" ? undefined : Semaphore.makeUnsafe(kind.concurrency),
      handlers: run(
        kind.build.pipe(
          Effect.provideService(Entity.CurrentAddress, address),
          Effect.provideService(Scope.Scope, scope),
          Effect.provide(kind.context)
        )
      ),
      busy: 0,
      lastUsed: now
    }
    node.actors.set(name, actor)
    return actor
  }
}

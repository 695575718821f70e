import { Config, Context, type Duration, Effect, Layer, Redacted, Result } from "effect"
import { availableParallelism } from "node:os"
import { networksIn } from "./Networks.ts"
import { read, refuse } from "./Setting.ts"

/*
 * Every limit of the service: meaning, unit, default, and the variable of the environment, if there is one. All limits hold for one process.
 */

/** The threads that print: at most four, and half of the processors. */
export const printThreads = Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)))

/** The turns at a kind of work that are under way at a time: in all, and of one account in one mode (`owner`). */
export interface TurnsAtOnce {
  readonly atOnce: number
  readonly ofOwnerAtOnce: number
}

/** The turns at a kind of work, in which accounts (`owner`) and the API keys of an account (`asker`) take turns. */
export interface TurnLimits extends TurnsAtOnce {
  /** Maximum waiting turns of one API key, of one account, and in all. */
  readonly waiting: { readonly ofAsker: number; readonly ofOwner: number; readonly inAll: number }
  /** A turn that has not come within this time is refused. */
  readonly maxWait: Duration.Input
  /**
   * A turn that would come later than this, at the rate at which turns came to its owner last, is refused when it is asked for, if many
   * turns of the owner wait; by default only `maxWait` counts. A stall, such as a restart of the database, does not count: turns then wait for `maxWait`.
   */
  readonly maxDelay?: Duration.Input
}

/** The limits by name. */
export interface LimitValues {
  /**
   * Webhook attempts under way, and how many an endpoint may begin at a time. By default an endpoint may have 64 attempts in flight, and an
   * account 16 endpoints.
   */
  readonly attempts: TurnsAtOnce & { readonly ofEndpointAtOnce: number }
  /** Calls to the authority under way, in each mode. */
  readonly authority: TurnsAtOnce
  /** How long the server waits for a client, in milliseconds, and how much the server holds for clients that keep it waiting. */
  readonly clients: {
    /** The wait for the headers of a request. */
    readonly headersMs: number
    /** The wait for a whole request. */
    readonly requestMs: number
    /** The time between two looks at the connections. */
    readonly checkMs: number
    /** How long an idle connection is kept. */
    readonly keepAliveMs: number
    /** An answer that the client has not read to its end within this time is given up, and its connection is closed. */
    readonly answerMs: number
    /** A connection whose client has stalled a request or an answer for this long may be closed to make room for another. */
    readonly stalledMs: number
    /** A connection of the reserve that is still open after this time is closed. */
    readonly reserveMs: number
    /** The maximum of connections in the reserve: those above the limits, answered with a refusal or the service's health. */
    readonly reserveMax: number
    /** The maximum of bytes that clients have not read. One address may hold a quarter; all, where it may have all connections. */
    readonly unreadMax: number
    /** The maximum number of requests of one connection that have not been answered. */
    readonly pipelinedMax: number
    /**
     * The server pauses a connection after each 429 above this number, except that of a trusted proxy. Four other answers count as one
     * 429 less.
     */
    readonly limitedMax: number
    /**
     * The first pause, within which the server reads no further request of the connection; each pause after it is longer, up to five
     * times.
     */
    readonly pauseMs: number
  }
  /** Turns of commands that have a transaction of their own. */
  readonly commands: TurnLimits
  /**
   * Requests of one API key under way (`requests`), how many of these may wait for events (`waiting`), and how many may have a large body
   * (`large`). An account may have four times as many.
   */
  readonly concurrency: { readonly requests: number; readonly waiting: number; readonly large: number }
  /**
   * Open connections: in all (`max`, `CONNECTIONS`), and of one client address (`perAddress`, `CONNECTIONS_PER_ADDRESS`; for IPv6, of one
   * /64 network). A trusted proxy may have all of them. Where `HOST` is a loopback address all clients come through a proxy on this
   * machine, so that by default one address may have all connections; elsewhere it may have a quarter.
   */
  readonly connections: { readonly max: number; readonly perAddress: number }
  /**
   * Seconds without a successful call to the authority, by the authority's fault, until documents that never left are issued in
   * contingency. `CONTINGENCY_AFTER`.
   */
  readonly contingencyAfter: number
  /**
   * Seconds for which a service that was asked to stop still serves requests, while `/health/ready` answers 503 and the load balancer sends
   * requests elsewhere. `DRAIN_SECONDS`: by default 8 with `CLUSTER=socket`; otherwise 0, because no other process can take the requests.
   */
  readonly drainSeconds: number
  /**
   * The secret with which the mail provider signs its notices of bounces and complaints. `MAIL_NOTICE_SECRET`; without it the service takes no
   * notices.
   */
  readonly noticeSecret: Redacted.Redacted<string> | undefined
  /** Turns at printing, packing and reading documents. */
  readonly printing: TurnLimits
  /**
   * Requests of one API key: `perSecond` for long (`RATE_LIMIT`), and up to `burst` at once (`RATE_LIMIT_BURST`). The same holds for a
   * client address without a valid key; an account may have four times as many.
   */
  readonly rate: { readonly perSecond: number; readonly burst: number }
  /** Turns of large or slow requests, and how long an account rests after one, so that other accounts get most of the time. */
  readonly requests: TurnLimits & {
    /**
     * Milliseconds of rest for each KiB. For an answer or a body: nine times the measured processor time to write or check a KiB,
     * so that other accounts have nine tenths of the time. For a document: six times its cost, with its signature and the
     * sandbox's verification, which follow the answer. A turn's duration does not count, because other requests prolong it.
     */
    readonly restMsOfKib: {
      readonly answer: number
      readonly body: number
      readonly document: { readonly sent: number; readonly copied: number; readonly moved: number }
    }
    /**
     * A read may scan all rows of an account and find nothing. After a read of more than `fromMs` milliseconds the account rests
     * for the excess, at most `restMsMax` milliseconds, so that its own waiting reads do not wait long. The share of the time for
     * which the process is busy does not count: a read that waits for the work of other accounts is not slow itself.
     */
    readonly slowRead: { readonly fromMs: number; readonly restMsMax: number }
    /** The turns of creations and of validations, which are apart from those of other requests. */
    readonly creation: TurnLimits
  }
  /**
   * Days for which events, deliveries, attempts and ended API keys are kept. Invoices, documents and their transitions stay forever.
   * `RETENTION_DAYS`.
   */
  readonly retentionDays: number
  /**
   * The proxies that are believed when they say for whom they forward a request: addresses and ranges, separated by commas, and the words
   * `loopback` and `private`. `TRUSTED_PROXIES`; by default none.
   */
  readonly trustedProxies: string
  /**
   * Whether this process lets webhooks reach addresses that are not public: whether `WEBHOOK_ALLOW` names any. While one process does, no
   * live API key can be made.
   */
  readonly webhookAllow: boolean
}

const defaults: LimitValues = {
  attempts: { atOnce: 512, ofOwnerAtOnce: 64, ofEndpointAtOnce: 16 },
  authority: { atOnce: 512, ofOwnerAtOnce: 128 },
  clients: {
    headersMs: 10_000,
    requestMs: 30_000,
    checkMs: 1_000,
    keepAliveMs: 65_000,
    answerMs: 30_000,
    stalledMs: 1_000,
    reserveMs: 5_000,
    reserveMax: 64,
    unreadMax: 64 * 1024 * 1024,
    pipelinedMax: 32,
    limitedMax: 4,
    pauseMs: 1_000
  },
  commands: {
    // Fewer than the database connections, so that reads and creations still run while the commands of a few accounts take all turns.
    atOnce: 6,
    // More than one, so that a slow command of an account does not block the account's other commands.
    ofOwnerAtOnce: 2,
    // Large enough that a burst of one API key waits and is not refused.
    waiting: { ofAsker: 512, ofOwner: 1_024, inAll: 8_192 },
    // A request waits 12 s for its actor, and a command may wait 3 s of them for the lock of its row.
    maxWait: "8 seconds"
  },
  concurrency: { requests: 256, waiting: 64, large: 16 },
  connections: { max: 2_000, perAddress: 500 },
  contingencyAfter: 300,
  drainSeconds: 0,
  noticeSecret: undefined,
  printing: {
    // One more than the threads that print, so that the next document is read from the database while all threads are busy.
    atOnce: printThreads + 1,
    ofOwnerAtOnce: Math.ceil(printThreads / 2),
    waiting: { ofAsker: 16, ofOwner: 48, inAll: 512 },
    maxWait: "10 seconds"
  },
  rate: { perSecond: 100, burst: 500 },
  requests: {
    atOnce: 32,
    ofOwnerAtOnce: 4,
    waiting: { ofAsker: 128, ofOwner: 256, inAll: 4_096 },
    maxWait: "10 seconds",
    restMsOfKib: { answer: 0.5, body: 1, document: { sent: 2, copied: 2, moved: 1 } },
    slowRead: { fromMs: 100, restMsMax: 250 },
    // As many of an account as share a statement without a wait, and few enough that the event loop is soon at another account's request.
    creation: {
      atOnce: 32,
      ofOwnerAtOnce: 8,
      waiting: { ofAsker: 256, ofOwner: 256, inAll: 4_096 },
      maxWait: "10 seconds",
      // With its work, a creation that waits so long is answered within a second.
      maxDelay: "750 millis"
    }
  },
  retentionDays: 30,
  trustedProxies: "",
  webhookAllow: false
}

// HAProxy takes a server out after three checks two seconds apart, and `docker stop` kills a process after ten seconds.
const drainBesideOthers = 8

const secretMin = 32

const isLoopback = (host: string) => /^(127\.|::1$|localhost$)/.test(host)

const environment = Config.all({
  cluster: Config.String("CLUSTER").pipe(Config.withDefault("single")),
  connections: Config.Int("CONNECTIONS").pipe(Config.withDefault(defaults.connections.max)),
  connectionsPerAddress: Config.Int("CONNECTIONS_PER_ADDRESS").pipe(Config.withDefault(undefined)),
  contingencyAfter: Config.Int("CONTINGENCY_AFTER").pipe(Config.withDefault(defaults.contingencyAfter)),
  drainSeconds: Config.Number("DRAIN_SECONDS").pipe(Config.withDefault(undefined)),
  host: Config.String("HOST").pipe(Config.withDefault("127.0.0.1")),
  noticeSecret: Config.Redacted("MAIL_NOTICE_SECRET").pipe(Config.withDefault(undefined)),
  perSecond: Config.Int("RATE_LIMIT").pipe(Config.withDefault(defaults.rate.perSecond)),
  burst: Config.Int("RATE_LIMIT_BURST").pipe(Config.withDefault(defaults.rate.burst)),
  retentionDays: Config.Int("RETENTION_DAYS").pipe(Config.withDefault(defaults.retentionDays)),
  trustedProxies: Config.String("TRUSTED_PROXIES").pipe(Config.withDefault(defaults.trustedProxies)),
  webhookAllow: Config.String("WEBHOOK_ALLOW").pipe(Config.withDefault(""))
})

const fromEnvironment = Effect.gen(function* () {
  const { burst, cluster, contingencyAfter, host, noticeSecret, perSecond, retentionDays, trustedProxies, ...other } =
    yield* read(environment)
  const max = other.connections
  const perAddress = other.connectionsPerAddress ?? (isLoopback(host) ? max : Math.ceil(max / 4))
  const drainSeconds = other.drainSeconds ?? (cluster === "socket" ? drainBesideOthers : defaults.drainSeconds)
  const proxies = networksIn(trustedProxies)
  if (perSecond < 1 || burst < 1)
    return yield* refuse("RATE_LIMIT (requests a second) and RATE_LIMIT_BURST must be whole numbers, at least 1.")
  if (max < 1 || perAddress < 1)
    return yield* refuse("CONNECTIONS and CONNECTIONS_PER_ADDRESS must be whole numbers, at least 1.")
  if (contingencyAfter < 1) return yield* refuse("CONTINGENCY_AFTER must be a whole number of seconds, at least 1.")
  if (!(drainSeconds >= 0 && drainSeconds <= 600))
    return yield* refuse("DRAIN_SECONDS must be a number of seconds from 0 to 600.")
  if (noticeSecret !== undefined && Redacted.value(noticeSecret).length < secretMin)
    return yield* refuse(`MAIL_NOTICE_SECRET must have at least ${secretMin} characters: openssl rand -hex 32`)
  if (retentionDays < 1) return yield* refuse("RETENTION_DAYS must be a whole number of days, at least 1.")
  if (Result.isFailure(proxies)) return yield* refuse(`TRUSTED_PROXIES: ${proxies.failure}`)
  return {
    ...defaults,
    connections: { max, perAddress },
    contingencyAfter,
    drainSeconds,
    noticeSecret,
    rate: { perSecond, burst },
    retentionDays,
    trustedProxies,
    webhookAllow: /[^,\s]/.test(other.webhookAllow)
  }
})

/** Some limits in place of others. Of a group of limits, those that are not named stay. */
export type LimitsChange = {
  readonly [Name in keyof LimitValues]?: LimitValues[Name] extends Redacted.Redacted<string> | undefined
    ? LimitValues[Name]
    : LimitValues[Name] extends object
      ? Partial<LimitValues[Name]>
      : LimitValues[Name]
}

const isGroup = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Redacted.isRedacted(value)

const changed = (values: LimitValues, change: LimitsChange): LimitValues => {
  const groups = Object.entries(change).map(([name, value]) => {
    const before = values[name as keyof LimitValues]
    return [name, isGroup(value) && isGroup(before) ? { ...before, ...value } : value]
  })
  return { ...values, ...Object.fromEntries(groups) }
}

/** The limits of the service. */
export class Limits extends Context.Service<Limits, LimitValues>()("@folio-einvoicing/service/Limits") {
  /** The limits of `npm start` without a variable in the environment. */
  static readonly defaults: LimitValues = defaults

  /** The defaults, apart from the change. */
  static layer(change: LimitsChange = {}) {
    return Layer.succeed(Limits, changed(defaults, change))
  }

  /** The defaults, apart from what the environment sets. Fails with `SettingsError`. */
  static readonly layerConfig = Layer.effect(Limits, fromEnvironment)

  /** The limits that are provided to this layer, apart from the change. */
  static layerChanged(change: LimitsChange) {
    return Layer.effect(
      Limits,
      Effect.map(Limits, (values) => changed(values, change))
    )
  }
}

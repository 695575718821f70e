import { Config, Context, type Duration, Effect, Layer, Redacted, Result } from "effect"
import { availableParallelism } from "node:os"
import { networksIn } from "./Networks.ts"
import { read, refuse } from "./Setting.ts"

/*
 * Every limit of the service: meaning, unit, default, and its environment variable, if there is one. All limits hold
 * for one process.
 */

/** Maximum size of a request body in bytes. */
export const bodyBytesMax = 256 * 1024

/** Number of print threads: half of the processors, at most four. */
export const printThreads = Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)))

/** Maximum concurrent turns at a kind of work: in all, and of one account in one mode (`owner`). */
export interface TurnsAtOnce {
  readonly atOnce: number
  readonly ofOwnerAtOnce: number
}

/** Turns at a kind of work. Accounts (`owner`) and the API keys of an account (`asker`) take turns at it. */
export interface TurnLimits extends TurnsAtOnce {
  /** Maximum waiting turns of one API key, of one account, and in all. */
  readonly waiting: { readonly ofAsker: number; readonly ofOwner: number; readonly inAll: number }
  /** Longest wait for a turn. Folio rejects the work after it. */
  readonly maxWait: Duration.Input
  /**
   * Longest expected wait, at the latest rate of the owner's turns. If many turns of the owner wait, Folio immediately
   * rejects a turn that would come later. By default only `maxWait` counts. A stall, such as a restart of the database,
   * does not count: turns then wait for `maxWait`.
   */
  readonly maxDelay?: Duration.Input
}

/** The limits by name. */
export interface LimitValues {
  /**
   * Maximum concurrent webhook attempts, and how many an endpoint can begin at a time. By default an endpoint can have
   * 64 attempts in flight, and an account 16 endpoints.
   */
  readonly attempts: TurnsAtOnce & { readonly ofEndpointAtOnce: number }
  /**
   * Days for which Folio keeps the entries of the audit log: at least 30, by default five years.
   * `AUDIT_RETENTION_DAYS`.
   */
  readonly auditRetentionDays: number
  /** Maximum concurrent calls to the authority, in each mode. */
  readonly authority: TurnsAtOnce
  /** Time-outs of clients in milliseconds, and how much the server holds for slow clients. */
  readonly clients: {
    /** Time-out for the headers of a request. */
    readonly headersMs: number
    /** Time-out for a whole request. */
    readonly requestMs: number
    /** Interval between two checks of the connections. */
    readonly checkMs: number
    /** Longest idle time of a connection. */
    readonly keepAliveMs: number
    /** Time-out for the client to read a whole response. The server then closes the connection. */
    readonly answerMs: number
    /** Stall of a request or a response after which the server can close the connection to admit another. */
    readonly stalledMs: number
    /** Longest duration of a connection in the reserve. */
    readonly reserveMs: number
    /** Maximum connections in the reserve: connections above the limits, which get an error or the service's health. */
    readonly reserveMax: number
    /**
     * Maximum bytes that clients have not read. An address can hold a quarter, or all if it can have all connections.
     */
    readonly unreadMax: number
    /** Maximum requests of one connection without a response. */
    readonly pipelinedMax: number
    /**
     * Number of 429 responses after which the server pauses a connection at each further one, unless the connection is
     * a trusted proxy's. Four other responses count as one 429 less.
     */
    readonly limitedMax: number
    /**
     * Duration of the first pause, in which the server reads no request of the connection. Each later pause is longer,
     * up to five times.
     */
    readonly pauseMs: number
  }
  /** Turns of commands with their own transaction. */
  readonly commands: TurnLimits
  /**
   * Maximum concurrent requests of one API key (`requests`), how many of these can wait for events (`waiting`), and how
   * many can have a large body (`large`). An account can have four times as many.
   */
  readonly concurrency: { readonly requests: number; readonly waiting: number; readonly large: number }
  /**
   * Maximum open connections: in all (`max`, `CONNECTIONS`), and of one client address (`perAddress`,
   * `CONNECTIONS_PER_ADDRESS`; for IPv6, of one /64 network). A trusted proxy can have all of them. If `HOST` is a
   * loopback address, all clients come through a proxy on this machine. An address can then have all connections by
   * default, otherwise a quarter.
   */
  readonly connections: { readonly max: number; readonly perAddress: number }
  /**
   * Seconds without a successful call to the authority, by the authority's fault, until Folio issues documents that
   * never left in contingency. `CONTINGENCY_AFTER`.
   */
  readonly contingencyAfter: number
  /**
   * Seconds after a stop signal in which the service still serves requests, while `/health/ready` returns 503 and the
   * load balancer sends requests elsewhere. `DRAIN_SECONDS`: by default 8 with `CLUSTER=socket`, otherwise 0, because
   * no other process can take the requests.
   */
  readonly drainSeconds: number
  /**
   * Secret with which the mail provider signs its notices of bounces and complaints. `MAIL_NOTICE_SECRET`. Without it,
   * the service accepts no notices.
   */
  readonly noticeSecret: Redacted.Redacted<string> | undefined
  /** Turns at printing and packing documents, and as many at reading their XML. */
  readonly printing: TurnLimits
  /**
   * Maximum requests of one API key: `perSecond` on average (`RATE_LIMIT`), and `burst` at a time (`RATE_LIMIT_BURST`).
   * A client address without a valid key has the same limits. An account can have four times as many.
   */
  readonly rate: { readonly perSecond: number; readonly burst: number }
  /** Turns of large or slow requests, and the account's rest after one, so that other accounts get most of the time. */
  readonly requests: TurnLimits & {
    /**
     * Milliseconds of rest for each KiB. For a response or a body: nine times the measured processor time to write or
     * check a KiB, so that other accounts have nine tenths of the time. For a document: six times its cost, with its
     * signature and the sandbox's verification, which follow the response. A turn's duration does not count, because
     * other requests prolong it.
     */
    readonly restMsOfKib: {
      readonly answer: number
      readonly body: number
      readonly document: { readonly sent: number; readonly copied: number; readonly moved: number }
    }
    /**
     * Rest after a slow read, because a read can scan all rows of an account and find nothing. After a read of more
     * than `fromMs` milliseconds, the account rests for the excess, at most `restMsMax` milliseconds, so that its own
     * waiting reads do not wait long. The share of the time in which the process is busy does not count: a read that
     * waits for the work of other accounts is not slow itself.
     */
    readonly slowRead: { readonly fromMs: number; readonly restMsMax: number }
    /** Turns of creations and validations, separate from the turns of other requests. */
    readonly creation: TurnLimits
  }
  /**
   * Days for which Folio keeps events, deliveries, attempts and ended API keys. Invoices, documents and their
   * transitions stay forever. `RETENTION_DAYS`.
   */
  readonly retentionDays: number
  /**
   * Proxies whose client address Folio trusts: addresses and ranges, separated by commas, and the words `loopback` and
   * `private`. `TRUSTED_PROXIES`. By default none.
   */
  readonly trustedProxies: string
  /**
   * Whether `WEBHOOK_ALLOW` lists addresses that are not public, which webhooks of this process can reach. While one
   * process has such a list, Folio creates no live API key.
   */
  readonly webhookAllow: boolean
}

const defaults: LimitValues = {
  attempts: { atOnce: 512, ofOwnerAtOnce: 64, ofEndpointAtOnce: 16 },
  auditRetentionDays: 1_827,
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
    // Fewer than the database connections, so that reads and creations still run while commands of a few accounts take
    // all turns.
    atOnce: 6,
    // More than one, so that a slow command of an account does not block the account's other commands.
    ofOwnerAtOnce: 2,
    // Large enough that a burst of one API key waits and Folio does not reject it.
    waiting: { ofAsker: 512, ofOwner: 1_024, inAll: 8_192 },
    // A request waits 12 s for its actor. In this time, a command can wait 3 s for the lock of its row.
    maxWait: "8 seconds"
  },
  concurrency: { requests: 256, waiting: 64, large: 16 },
  connections: { max: 2_000, perAddress: 500 },
  contingencyAfter: 300,
  drainSeconds: 0,
  noticeSecret: undefined,
  printing: {
    // More than the print threads by one, so that the next document is read while all threads are busy.
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
    // Creations of one account that share a statement without a wait. Few enough that the event loop soon serves
    // another account.
    creation: {
      atOnce: 32,
      ofOwnerAtOnce: 8,
      waiting: { ofAsker: 256, ofOwner: 256, inAll: 4_096 },
      maxWait: "10 seconds",
      // A creation that waits this long still gets its response within a second.
      maxDelay: "750 millis"
    }
  },
  retentionDays: 30,
  trustedProxies: "",
  webhookAllow: false
}

// HAProxy removes a server after three checks two seconds apart, and `docker stop` kills a process after ten seconds.
const drainBesideOthers = 8

const secretMin = 32

const isLoopback = (host: string) => /^(127\.|::1$|localhost$)/.test(host)

// The database keeps the entries for as long itself (`purge_audit_log`).
const auditRetentionMin = 30

const environment = Config.all({
  auditRetentionDays: Config.Int("AUDIT_RETENTION_DAYS").pipe(Config.withDefault(defaults.auditRetentionDays)),
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
  const { auditRetentionDays, burst, cluster, contingencyAfter, host, noticeSecret, ...other } =
    yield* read(environment)
  const { perSecond, retentionDays, trustedProxies } = other
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
  if (auditRetentionDays < auditRetentionMin)
    return yield* refuse(`AUDIT_RETENTION_DAYS must be a whole number of days, at least ${auditRetentionMin}.`)
  if (Result.isFailure(proxies)) return yield* refuse(`TRUSTED_PROXIES: ${proxies.failure}`)
  return {
    ...defaults,
    auditRetentionDays,
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

/** A change of some limits. In a group of limits, omitted ones stay. */
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

  /** The defaults with the change. */
  static layer(change: LimitsChange = {}) {
    return Layer.succeed(Limits, changed(defaults, change))
  }

  /** The defaults with the values of the environment. Fails with `SettingsError`. */
  static readonly layerConfig = Layer.effect(Limits, fromEnvironment)

  /** The limits that are provided to this layer, with the change. */
  static layerChanged(change: LimitsChange) {
    return Layer.effect(
      Limits,
      Effect.map(Limits, (values) => changed(values, change))
    )
  }
}

import { Effect, Exit, Scope } from "effect"
import { type ChildProcess, fork } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { Client, Pool } from "pg"
import { colombianSandbox } from "../../src/documents/rules/parties/SandboxIds.ts"
import { apiKeyHash, makeApiKey } from "../../src/accounts/rules/ApiKeyFormat.ts"
import * as EmbeddedPostgres from "../../src/runtime/postgres/EmbeddedPostgres.ts"
import { customerBody } from "../support/apps/Invoices.ts"
import { option } from "../support/processes/CommandLine.ts"
import { freePort } from "../support/processes/ServiceProcess.ts"
import { client, inTurn, receiver, type Receiver, type Shop } from "./Load.ts"
import { cpuMs, familyOf, postgresMs, residentBytes, until } from "./Machine.ts"
import type { Profile } from "./Profile.ts"
import type { Order } from "./serviceMain.ts"

const profile = option("profile", "")
const profiled = profile === "" ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`]

export const root = Path.resolve(import.meta.dirname, "../..")

const embedded = async (dataDir: string) => {
  const scope = Scope.makeUnsafe()
  const { port } = await Effect.runPromise(Scope.provide(EmbeddedPostgres.start({ dataDir }), scope))
  return { port, stop: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

/** Makes a PostgreSQL count the cost of each statement, from its next start on. */
const countStatements = async (dataDir: string) => {
  const { port, stop } = await embedded(dataDir)
  const admin = new Client({ connectionString: urlOf(dataDir, port, "postgres") })
  await admin.connect()
  await admin.query("alter system set shared_preload_libraries = 'pg_stat_statements'")
  await admin.query("alter system set pg_stat_statements.track_planning = on")
  await admin.end()
  await stop()
}

const urlOf = (dataDir: string, port: number | string, database: string) => {
  const password = Fs.readFileSync(Path.join(dataDir, "postgres.password"), "utf8").trim()
  return `postgres://postgres:${password}@127.0.0.1:${port}/${database}`
}

/** A PostgreSQL for this run, as the service starts it: with fsync on. */
export const postgres = async (options: { readonly countsStatements?: boolean } = {}) => {
  const dataDir = Fs.mkdtempSync(Path.join(Os.tmpdir(), "folio-bench-"))
  if (options.countsStatements === true) await countStatements(dataDir)
  const { port, stop } = await embedded(dataDir)
  const url = (database: string) => urlOf(dataDir, port, database)
  const admin = new Pool({ connectionString: url("postgres"), max: 1 })
  // The server may end a session of the pool before the pool does.
  admin.on("error", () => undefined)
  let made = 0
  return {
    cpu: () => postgresMs(dataDir),
    database: async () => {
      const name = `bench_${made++}`
      await admin.query(`create database ${name}`)
      return url(name)
    },
    drop: (database: string) => admin.query(`drop database ${new URL(database).pathname.slice(1)} with (force)`),
    stop: async () => {
      await admin.end()
      await stop()
      Fs.rmSync(dataDir, { recursive: true, force: true })
    }
  }
}

export type Postgres = Awaited<ReturnType<typeof postgres>>

/** A program of the run, and a function that ends it. */
const program = (
  file: string,
  env: Record<string, string>,
  nodeArguments: ReadonlyArray<string> = [],
  tree: string = root
) => {
  const child = fork(Path.join(tree, "test/bench", file), {
    cwd: tree,
    execArgv: [...nodeArguments],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: { PATH: process.env["PATH"], ...env }
  })
  process.once("exit", () => child.kill("SIGKILL"))
  return {
    child,
    cpu: () => familyOf(child.pid ?? 0).reduce((sum, pid) => sum + cpuMs(pid), 0),
    stop: async () => {
      child.kill("SIGTERM")
      if (child.exitCode === null) await once(child, "exit")
    }
  }
}

/** Node options of a version's `npm start`. */
const nodeOptions = (tree: string): ReadonlyArray<string> => {
  const { scripts } = JSON.parse(Fs.readFileSync(Path.join(tree, "package.json"), "utf8"))
  const [, written = ""] = /exec node (.*)src\/main\.ts/.exec(scripts.start) ?? []
  return written.split(" ").filter((word) => word !== "")
}

/** Superuser URL of the database `folio` in the PostgreSQL that a service started. */
const ownUrl = (dataDir: string) => {
  const port = Fs.readFileSync(Path.join(dataDir, "postgres/postmaster.pid"), "utf8").split("\n")[3]?.trim() ?? ""
  return urlOf(dataDir, port, "folio")
}

const message = <A>(child: ChildProcess) =>
  new Promise<A>((resolve) => child.once("message", (value) => resolve(value as A)))

const asked = <A>(child: ChildProcess, order: Order) => {
  const answer = message<A>(child)
  child.send(order)
  return answer
}

/** Starts a peer: see `peers/`. */
export const peer = async (file: string, url: string, hooks: Receiver) => {
  const port = await Effect.runPromise(freePort)
  const { child, cpu, stop } = program(file, { PG_URL: url, PORT: String(port), RECEIVER: hooks.url("/") })
  await message(child)
  return {
    cpu,
    stop,
    target: { base: `http://127.0.0.1:${port}`, path: "/invoices" },
    run: async (order: { readonly run: number; readonly ranges: number }) => {
      const answer = message<{ readonly count: number; readonly seconds: number }>(child)
      child.send(order)
      return answer
    }
  }
}

// Copies of the sandbox account's rows: issuer and range. Each has its own prefix, so that an issuer never has two
// equal numbers.
const copies = `
  with new as (select 'ten_' || lpad(n::text, 26, '0') as id, n from generate_series(2, $1::integer) n),
  account as (insert into accounts (id, created_at) select id, now() from new returning id),
  mode as (insert into account_modes (account_id, livemode, name, issuer, issuer_version, default_version)
    select account.id, m.livemode, m.name, m.issuer, m.issuer_version, m.default_version
    from account, (select * from account_modes where not livemode limit 1) m),
  range as (insert into resolutions
    select new.id, r.livemode, 'res_' || lpad(new.n::text, 26, '0'), r.number, r.document_type, 'P' || new.n, r.from_number, r.to_number,
      r.valid_from, r.valid_to, '${colombianSandbox.range.technical_key}', r.is_active, r.next_number, r.created_at
    from new, (select * from resolutions limit 1) r)
  insert into api_keys (id, account_id, livemode, key_hash, last_four, created_at)
  select 'key_' || lpad(new.n::text, 26, '0'), new.id, false, ($2::text[])[new.n - 1], 'last', now() from new`

/** Creates keys until the shop's account has this many. */
export const withKeys = async (base: string, { key }: Shop, count: number): Promise<[string, ...Array<string>]> => {
  const { call, close } = client(base, 1)
  const keys: [string, ...Array<string>] = [key]
  while (keys.length < count) keys.push((await call("POST", "/v1/api-keys", { key, body: {} })).key)
  await close()
  return keys
}

/** Runs `use` with a subject on a database and a receiver of its own. */
export const withSubject = async <A extends { readonly stop: () => Promise<void> }>(
  database: Postgres,
  make: (url: string, hooks: Receiver) => Promise<A>,
  use: (subject: A, hooks: Receiver) => Promise<void>
) => {
  const hooks = await receiver()
  const url = await database.database()
  const subject = await make(url, hooks)
  try {
    await use(subject, hooks)
  } finally {
    await subject.stop()
    hooks.close()
    await database.drop(url)
  }
}

export interface Place {
  /** The database; if omitted, the service starts its own PostgreSQL, as `npm start` does. */
  readonly url?: string
  readonly sign?: string
  readonly accounts: number
  /** Number of processes that share the port; if omitted, one process without a supervisor. */
  readonly processes?: number
  /** Directory of another version of the service; if omitted, this version. */
  readonly tree?: string
  /** Whether the default rate limits apply; if omitted, there are none. */
  readonly isLimited?: boolean
  /** Whether all clients connect through a trusted proxy, whose connections are not paused. */
  readonly isBehindProxy?: boolean
}

/** The service under test with this many accounts, each with its own customer, key and endpoint. */
export const service = async (place: Place, hooks: Receiver) => {
  const port = await Effect.runPromise(freePort)
  const dataDir = Fs.mkdtempSync(Path.join(Os.tmpdir(), "folio-bench-"))
  const { child, cpu, stop } = program(
    "serviceMain.ts",
    {
      ...(place.url === undefined ? {} : { DATABASE_URL: place.url }),
      FOLIO_KEY: randomBytes(32).toString("base64"),
      DATA_DIR: dataDir,
      PORT: String(port),
      WEBHOOK_ALLOW: hooks.address,
      LOG_LEVEL: "Error",
      ...(place.isLimited === true ? {} : { RATE_LIMIT: "1000000", RATE_LIMIT_BURST: "1000000" }),
      ...(place.isBehindProxy === true ? { TRUSTED_PROXIES: "loopback" } : {}),
      SIGN: place.sign ?? "real",
      ...(place.processes === undefined ? {} : { PROCESSES: String(place.processes) })
    },
    ["--expose-gc", ...nodeOptions(place.tree ?? root), ...profiled],
    place.tree
  )
  const base = `http://127.0.0.1:${port}`
  const { call, close } = client(base, 16)
  await until(
    () =>
      call("GET", "/health/ready", {}).then(
        () => true,
        () => false
      ),
    "the service is ready"
  )
  const memory = () => asked<NodeJS.MemoryUsage>(child, { memory: true })
  // A supervisor accepts no orders.
  const heapAtStart = place.processes === undefined ? (await memory()).heapUsed : 0
  const first = Fs.readFileSync(Path.join(dataDir, "test-key"), "utf8").trim()
  const others = Array.from({ length: place.accounts - 1 }, () => makeApiKey("test", randomBytes(32)))
  const databaseUrl = place.url ?? ownUrl(dataDir)
  const database = new Pool({ connectionString: databaseUrl, max: 2 })
  database.on("error", () => undefined)
  if (others.length > 0) await database.query(copies, [place.accounts, others.map(apiKeyHash)])

  const open = async (key: string): Promise<Shop> => {
    const { id } = await call("POST", "/v1/customers", {
      key,
      once: "customer",
      body: customerBody()
    })
    await endpoint({ key, customer: id }, "/")
    return { key, customer: id }
  }
  const endpoint = (shop: Shop, path: string) =>
    call("POST", "/v1/webhook-endpoints", {
      key: shop.key,
      body: { url: hooks.url(path), subscribed_events: ["invoice.accepted_by_authority"], max_in_flight: 64 }
    })
  const shops: Array<Shop> = []
  const keys = [first, ...others]
  await inTurn(keys.length, 16, async (index) => {
    shops[index] = await open(keys[index]!)
  })
  return {
    cpu,
    /** CPU time of the PostgreSQL that the service started. */
    postgresCpu: () => postgresMs(dataDir),
    database,
    shops,
    endpoint,
    databaseUrl,
    target: { base, path: "/v1/invoices" },
    order: (order: Order) => child.send(order),
    startProfile: () => asked<true>(child, { profile: "start" }),
    endProfile: () => asked<Profile>(child, { profile: "stop" }),
    memory,
    heapAtStart,
    /** Memory in use by each of its processes, in bytes. If there are several, the first is the supervisor. */
    resident: () => familyOf(child.pid ?? 0).map(residentBytes),
    stop: async () => {
      await close()
      await database.end()
      await stop()
      Fs.rmSync(dataDir, { recursive: true, force: true })
    }
  }
}

export type Service = Awaited<ReturnType<typeof service>>

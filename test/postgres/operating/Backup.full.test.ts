import { assert, describe } from "@effect/vitest"
import { Array, Effect, Fiber, Ref } from "effect"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { customerBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { until } from "../../support/apps/Until.ts"
import { bareDatabase, dataDirectory, freshDatabase, query } from "../../support/database/Postgres.ts"
import { folioCommand } from "../../support/processes/FolioCommand.ts"
import { type ServiceProcess, serviceProcess } from "../../support/processes/ServiceProcess.ts"
import { it } from "../../support/Tests.ts"

const passphrase = "correct horse battery staple"

/** Posts invoices, a few at a time, until its interruption. `acknowledged` grows with each 202 response. */
const load = Effect.fnUntraced(function* (
  service: ServiceProcess,
  customer: string,
  acknowledged: Ref.Ref<ReadonlyArray<string>>
) {
  const client = service.client()
  const post = Effect.gen(function* () {
    const answer = yield* client.post("/v1/invoices", invoiceBody(customer), { key: randomBytes(8).toString("hex") })
    if (answer.status === 202) yield* Ref.update(acknowledged, Array.append(String(answer.json.id)))
  })
  return yield* Effect.forEach(Array.range(1, 4), () => Effect.forever(post), {
    concurrency: "unbounded",
    discard: true
  })
})

const newCustomer = Effect.fnUntraced(function* (service: ServiceProcess) {
  const made = yield* service.client().post("/v1/customers", customerBody(), { key: "customer" })
  assert.strictEqual(made.status, 201)
  return String(made.json.id)
})

interface Kept {
  readonly id: string
  readonly full_number: string | null
  readonly signed: Uint8Array | null
  /**
   * A query for a restored place. `is_of_backup`: whether the bytes come from the backup, not from a signature there.
   */
  readonly is_of_backup: boolean
}

const kept = (service: ServiceProcess) =>
  service.rows<Kept>(
    `select id, full_number, signed, d.created_at <= (select max(taken_at) from restores) as is_of_backup
     from invoices i left join invoice_documents d on d.invoice_id = i.id order by id`
  )

/** Asserts that documents wait after the restore, and continue with the number after the confirmed one. */
const goesOn = Effect.fnUntraced(function* (service: ServiceProcess, customer: string, env: Record<string, string>) {
  const client = service.client()
  const [range] = yield* service.rows<{ prefix: string; next: string }>(
    "select prefix, next_number::text as next from resolutions"
  )
  const made = yield* client.post("/v1/invoices", invoiceBody(customer), { key: "after the restore" })
  assert.strictEqual(made.status, 202)
  const shown = yield* until(client.get(`/v1/invoices/${made.json.id}`), ({ json }) => json.waiting !== undefined)
  assert.strictEqual(shown.json.waiting.code, "numbering_held")
  assert.match(shown.json.waiting.message, /restored from a backup.*folio resume/)
  assert.strictEqual(shown.json.status, "draft")

  const doctor = yield* folioCommand(["doctor", "--json"], env)
  const check = doctor.json.checks.find((one: { check: string }) => one.check === "numbering")
  assert.isFalse(check.ok)

  const next = Number(range?.next)
  const below = yield* folioCommand(["resume", "--last", `${range?.prefix}${next - 2}`], env)
  assert.match(below.error, /^folio: The backup has documents up to number \d+/)
  assert.match((yield* folioCommand(["resume", "--last", "XX1"], env)).error, /^folio: XX1 matches no paused range/)

  const resumed = yield* folioCommand(["resume", "--last", `${range?.prefix}${next + 6}`, "--json"], env)
  assert.deepInclude(resumed.json, { last: next + 6, lost: 7 })
  assert.isAtLeast(resumed.json.waiting, 1)
  const done = yield* until(
    client.get(`/v1/invoices/${made.json.id}`),
    ({ json }) => json.status === "accepted_by_authority"
  )
  // Documents without a number in the backup are numbered first.
  const first = yield* service.rows<{ first: string }>(
    `select min(number)::text as first from invoices where number > ${next + 6}`
  )
  assert.strictEqual(Number(first[0]?.first), next + 7)
  assert.isUndefined(done.json.waiting)
  const lost = yield* service.rows<{ from: string; to: string }>(
    `select from_number::text as "from", to_number::text as "to" from lost_numbers`
  )
  assert.deepStrictEqual(lost, [{ from: String(next), to: String(next + 6) }])
  const gaps = yield* service.rows(`
    select 1 from resolutions r where next_number - ${next} - 7 <> (select count(*) from invoices where number > ${next + 6})`)
  assert.deepStrictEqual(gaps, [])
  const refused = yield* Effect.flip(
    Effect.timeout(service.rows("insert into lost_numbers select * from lost_numbers"), "2 seconds")
  )
  assert.isDefined(refused)
})

/** Takes a backup while invoices are posted and processed. `before`: those acknowledged before the backup began. */
const backedUp = Effect.fnUntraced(function* (service: ServiceProcess, file: string, env: Record<string, string>) {
  const customer = yield* newCustomer(service)
  const acknowledged = yield* Ref.make<ReadonlyArray<string>>([])
  const posting = yield* Effect.forkScoped(load(service, customer, acknowledged))
  yield* until(Ref.get(acknowledged), (ids) => ids.length > 40)
  const before = yield* Ref.get(acknowledged)
  const said = yield* folioCommand(["backup", file, "--with-key", "--json"], env)
  assert.strictEqual(said.code, 0, said.error)
  yield* Fiber.interrupt(posting)
  assert.strictEqual(Fs.statSync(file).mode & 0o777, 0o600)
  return { customer, before }
})

/** Asserts that the other place has every document acknowledged before the backup, with its number and bytes if any. */
const holds = Effect.fnUntraced(function* (
  source: ServiceProcess,
  restored: ServiceProcess,
  before: ReadonlyArray<string>
) {
  const [there, here] = [yield* kept(source), yield* kept(restored)]
  const byId = new Map(there.map((row) => [row.id, row]))
  assert.deepStrictEqual(
    before.filter((id) => !here.some((row) => row.id === id)),
    []
  )
  for (const row of here) {
    const was = byId.get(row.id)
    assert.isDefined(was)
    if (row.is_of_backup) {
      assert.isNotNull(row.signed)
      assert.isNotNull(was.signed)
      assert.strictEqual(row.full_number, was.full_number)
      assert.deepStrictEqual(Buffer.from(row.signed), Buffer.from(was.signed))
    }
  }
})

describe("a backup taken under load", () => {
  it.live("restores into another DATA_DIR, where numbering waits until the last number is confirmed", function* () {
    const source = yield* serviceProcess({ webhookAllow: "" })
    yield* source.start()
    const file = Path.join(yield* dataDirectory, "backup")
    const env = { DATA_DIR: source.dataDir, FOLIO_BACKUP_PASSPHRASE: passphrase }
    const { before, customer } = yield* backedUp(source, file, env)
    yield* source.signal("SIGTERM")
    yield* source.ended

    const restored = yield* serviceProcess({ webhookAllow: "" })
    const place = { DATA_DIR: restored.dataDir, FOLIO_BACKUP_PASSPHRASE: passphrase }
    const wrong = yield* folioCommand(["restore", file], { ...place, FOLIO_BACKUP_PASSPHRASE: "another passphrase" })
    assert.match(wrong.error, /^folio: The passphrase does not open the keys/)
    assert.isFalse(Fs.existsSync(restored.dataDir))
    const said = yield* folioCommand(["restore", file], place)
    assert.strictEqual(said.code, 0, said.error)
    yield* restored.start()
    yield* source.start()
    yield* holds(source, restored, before)
    yield* source.signal("SIGTERM")
    yield* goesOn(restored, customer, place)
  })

  it.live("restores into another database as its ordinary owner", function* () {
    const [from, to] = [yield* freshDatabase, yield* bareDatabase]
    const FOLIO_KEY = randomBytes(32).toString("base64")
    const source = yield* serviceProcess({ webhookAllow: "", env: { DATABASE_URL: from, FOLIO_KEY } })
    yield* source.start()
    const file = Path.join(yield* dataDirectory, "backup")
    const keys = { FOLIO_KEY, FOLIO_BACKUP_PASSPHRASE: passphrase }
    const { before, customer } = yield* backedUp(source, file, {
      ...keys,
      DATABASE_URL: from,
      DATA_DIR: source.dataDir
    })

    const env = { DATABASE_URL: to, FOLIO_KEY }
    const restored = yield* serviceProcess({ webhookAllow: "", env })
    const place = { ...env, DATA_DIR: restored.dataDir }
    const said = yield* folioCommand(["restore", file], place)
    assert.strictEqual(said.code, 0, said.error)
    Fs.cpSync(Path.join(source.dataDir, "test-key"), Path.join(restored.dataDir, "test-key"))
    yield* restored.start()
    yield* holds(source, restored, before)
    yield* goesOn(restored, customer, place)
    // Another place has another key.
    const other = { ...place, DATABASE_URL: yield* bareDatabase, FOLIO_KEY: randomBytes(32).toString("base64") }
    assert.match((yield* folioCommand(["restore", file], other)).error, /^folio: The key in FOLIO_KEY is not the one/)
    assert.deepStrictEqual(
      (yield* query(other.DATABASE_URL, "select from pg_class where relnamespace = 'public'::regnamespace")).rows,
      []
    )
  })
})

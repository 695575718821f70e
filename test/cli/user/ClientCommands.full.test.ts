import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { verify } from "../../../src/clients/typescript/Webhooks.ts"
import { invoiceBody } from "../../support/apps/Invoices.ts"
import { until } from "../../support/apps/Until.ts"
import { Crashing } from "../../support/processes/Crashing.ts"
import { folioCommand } from "../../support/processes/FolioCommand.ts"
import { never } from "../../support/processes/ServiceProcess.ts"
import { describeLive } from "../../support/Tests.ts"
import { gate } from "./Gate.ts"
import { folioProcess } from "./Shell.ts"

/** A directory of its own, and the environment for folio commands that use it and the service. */
const place = Effect.gen(function* () {
  const { service } = yield* Crashing
  const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "folio-shell-"))
  yield* Effect.addFinalizer(() => Effect.sync(() => Fs.rmSync(directory, { recursive: true })))
  const env = { XDG_CONFIG_HOME: directory, DATA_DIR: service.dataDir, FOLIO_URL: service.url }
  return { directory, env, file: (name: string) => Path.join(directory, name) }
})

const issue = Effect.fnUntraced(function* (metadata: Record<string, string>) {
  const { customers, service } = yield* Crashing
  const body = invoiceBody(customers[0] ?? "", metadata)
  const key = crypto.randomUUID()
  const answer = yield* until(service.client().post("/v1/invoices", body, { key }), ({ status }) => status === 202)
  return String(answer.json.id)
})

/** The objects of events at a path, for which the receiver returned 200. */
const acknowledged = (path: string) =>
  Effect.map(Crashing, ({ receiver }) =>
    receiver.received
      .filter((one) => one.path === path && one.answered === 200)
      .map(({ event }) => event.data.object.id)
  )

const arrived = (path: string, ids: ReadonlyArray<string>) =>
  until(acknowledged(path), (seen) => ids.every((id) => seen.some((one) => one === id)))

/** The events after which a listener has saved its position. */
const kept = (listener: Effect.Success<ReturnType<typeof folioProcess>>) =>
  listener.lines().flatMap((line) => (line["acknowledged"] === true ? [line["event"]] : []))

/** Waits until the listener has saved its position after all of these events: then it may end at any moment. */
const keptBehind = (listener: Parameters<typeof kept>[0], ids: ReadonlyArray<string>) =>
  Effect.flatMap(Crashing, ({ receiver }) => {
    const events = receiver.received.flatMap(({ event }) => (ids.includes(event.data.object.id) ? [event.id] : []))
    return until(
      Effect.sync(() => kept(listener)),
      (behind) => events.every((event) => behind.includes(event))
    )
  })

describeLive(Crashing.layer([undefined]))("folio listen", (it) => {
  it.effect("posts each event as webhooks do, and loses and repeats none over crashes and sleep", function* () {
    const { receiver, service } = yield* Crashing
    const { env, file } = yield* place
    Fs.writeFileSync(file(".env"), "OTHER=1\n")
    const words = ["listen", "--forward-to", `127.0.0.1:${receiver.port}/listen`, "--env-file", file(".env")]
    const start = Effect.gen(function* () {
      const listener = yield* folioProcess(words, env)
      yield* until(Effect.sync(listener.said), (said) => said.includes('"listener"'))
      return listener
    })
    const first = yield* start
    const [, secret = ""] =
      /^OTHER=1\nFOLIO_WEBHOOK_SECRET=(whsec_\S+)\n$/.exec(Fs.readFileSync(file(".env"), "utf8")) ?? []
    assert.strictEqual(first.lines()[0]?.["secret"], secret)

    // The same bytes as the service's own webhook, signed both ways.
    const id = yield* issue({ "1": "one", b: "ñ \u2028 \u0007 😀", "10": "ten", a: '"\\' })
    yield* arrived("/hooks", [id])
    yield* arrived("/listen", [id])
    const [own, ours] = ["/hooks", "/listen"].map((path) =>
      receiver.received.find((one) => one.path === path && one.event.data.object.id === id)
    )
    assert.strictEqual(ours?.body, own?.body)
    const headers = { ...ours?.headers }
    const { "svc-signature": svc = "", "webhook-signature": standard = "", ...others } = headers
    for (const one of [{ "svc-signature": svc }, { "webhook-signature": standard }]) {
      const event = yield* Effect.promise(() =>
        verify({ payload: ours?.body ?? "", headers: { ...others, ...one }, secret })
      )
      assert.strictEqual(event.data.object.id, id)
    }
    for (const name of ["svc-event-id", "svc-event-type", "webhook-id", "content-type"]) {
      assert.strictEqual(headers[name], own?.headers[name], name)
    }

    // Rejected, then killed: the position and the order are kept.
    let refused = 0
    receiver.answerWith(({ path }) => (path === "/listen" && refused++ < 1 ? 500 : 200))
    const inOrder = yield* Effect.forEach(["2", "3", "4"], (order) => issue({ order }))
    yield* arrived("/listen", inOrder)
    yield* keptBehind(first, inOrder)

    const second = yield* folioProcess(words, env)
    assert.strictEqual(yield* second.ended, 1)
    assert.include(second.error(), `(process ${first.pid})`)

    yield* first.signal("SIGKILL")
    yield* first.ended
    const whileAway = yield* Effect.forEach(["5", "6"], (order) => issue({ order }))
    yield* arrived("/hooks", whileAway)
    const third = yield* start
    assert.strictEqual(third.lines()[0]?.["secret"], secret)
    yield* arrived("/listen", whileAway)
    yield* keptBehind(third, whileAway)

    // Asleep, while its connection breaks with the service, and an event arrives.
    yield* third.signal("SIGSTOP")
    yield* service.signal("SIGKILL")
    yield* service.ended
    yield* service.start(never)
    const whileAsleep = yield* Effect.forEach(["7", "8"], (order) => issue({ order }))
    yield* arrived("/hooks", whileAsleep)
    yield* third.signal("SIGCONT")
    yield* arrived("/listen", whileAsleep)

    // Stopped in the middle of an attempt: the attempt ends, and is not repeated.
    const held = Promise.withResolvers<number>()
    receiver.answerWith(({ path }) => (path === "/listen" ? held.promise : 200))
    const before = receiver.received.filter(({ path }) => path === "/listen").length
    const last = yield* issue({ order: "9" })
    yield* until(
      Effect.sync(() => receiver.received.filter(({ path }) => path === "/listen").length),
      (count) => count > before
    )
    yield* third.signal("SIGTERM")
    held.resolve(200)
    yield* third.ended
    receiver.answerWith(() => 200)
    yield* start
    const after = yield* issue({ order: "10" })
    yield* arrived("/listen", [after])

    const all = yield* acknowledged("/listen")
    assert.sameMembers(all.map(String), [...new Set(all.map(String))])
    assert.sameMembers(all.map(String), [id, ...inOrder, ...whileAway, ...whileAsleep, last, after])
    // The order of the service's own list.
    const { json } = yield* service.client().get("/v1/events?limit=100")
    const listed = json.data.map(
      (event: { readonly data: { readonly object: { readonly id: string } } }) => event.data.object.id
    )
    assert.deepStrictEqual(all.map(String), listed.toReversed())
  })

  it.effect("continues with the oldest event if the service no longer keeps the event of its position", function* () {
    const { receiver } = yield* Crashing
    const { directory, env } = yield* place
    const words = ["listen", "--forward-to", `127.0.0.1:${receiver.port}/oldest`]
    const id = yield* issue({ order: "oldest" })
    yield* arrived("/hooks", [id])
    const first = yield* folioProcess(words, env)
    yield* until(Effect.sync(first.said), (said) => said.includes('"listener"'))
    yield* first.signal("SIGTERM")
    yield* first.ended
    const places = Fs.readdirSync(directory, { recursive: true }).map(String)
    const file = Path.join(directory, places.find((name) => name.endsWith("place.json")) ?? "")
    assert.strictEqual(Fs.statSync(file).mode & 0o777, 0o600)
    assert.deepStrictEqual(yield* acknowledged("/oldest"), [])
    Fs.writeFileSync(file, Fs.readFileSync(file, "utf8").replace(/evt_\w+/, `evt_${"0".repeat(26)}`))
    const second = yield* folioProcess(words, env)
    yield* arrived("/oldest", [id])
    assert.include(second.error(), "no longer has")
  })

  it.effect("repeats a period, and saves no position", function* () {
    const { receiver } = yield* Crashing
    const { directory, env } = yield* place
    const id = yield* issue({ order: "period" })
    yield* arrived("/hooks", [id])
    const said = yield* folioCommand(
      [
        "listen",
        "--forward-to",
        `127.0.0.1:${receiver.port}/period`,
        "--events",
        "*.accepted_*",
        "--between",
        "1h",
        "0s"
      ],
      env
    )
    assert.strictEqual(said.code, 0, said.error)
    assert.include(yield* acknowledged("/period"), id)
    const files = Fs.readdirSync(directory, { recursive: true }).map(String)
    assert.isFalse(
      files.some((name) => name.endsWith("place.json")),
      files.join()
    )
  })
})

describeLive(Crashing.layer([undefined]))("folio trigger and import", (it) => {
  const triggered = [
    "invoice.rejected_by_authority",
    "invoice.accepted_contingency",
    "invoice.email.complained",
    "credit_note.failed",
    "credit_note.email.bounced",
    "debit_note.accepted_by_authority"
  ]

  it.effect("create a document with the chosen event", function* () {
    const { env } = yield* place
    for (const type of triggered) {
      const said = yield* folioCommand(["trigger", type, "--set", "metadata.order=7", "--wait", "--json"], env)
      assert.strictEqual(said.code, 0, said.error)
      assert.strictEqual(said.json.type, type)
      assert.deepStrictEqual(said.json.data.object.metadata, { order: "7" })
    }
    // A failed document succeeds at a retry.
    const failed = yield* folioCommand(["trigger", "invoice.failed", "--wait", "--json"], env)
    const again = yield* folioCommand(["invoices", "retry", failed.json.data.object.id, "--wait", "--json"], env)
    assert.strictEqual(again.json.status, "accepted_by_authority", again.error)
    // A rejected document leaves no script for the next one.
    const refused = yield* folioCommand(["trigger", "invoice.failed", "--set", "lines.0.quantity=x"], env)
    assert.strictEqual(refused.code, 1, refused.error)
    const sandbox = ["api", "POST", "v1/test-helpers/authority", "-d", '{"mode": "up"}', "--json"]
    assert.deepStrictEqual((yield* folioCommand(sandbox, env)).json.next, [])
    const wrong = yield* folioCommand(["trigger", "invoice.acepted"], env)
    assert.strictEqual(wrong.code, 2)
    assert.include(wrong.error, "Did you mean invoice.accepted_by_authority?")
    const live = yield* folioCommand(["trigger", "invoice.failed"], { ...env, FOLIO_API_KEY: "sk_live_x" })
    assert.strictEqual(live.code, 2, live.error)
  })

  it.effect("create each invoice of a file once, even if the import is killed", function* () {
    const { customers, service } = yield* Crashing
    const { env: own, file } = yield* place
    const front = yield* gate(service.url)
    const env = { ...own, FOLIO_URL: front.url }
    const count = 60
    const orders = Array.from({ length: count }, (_, index) => `${index};${customers[0]};Café;2;1000,50;01;19`)
    const heading = "order;customer_id;description;quantity;unit_price;tax_code;tax_rate"
    const sheet = file("orders.csv")
    Fs.writeFileSync(sheet, `\ufeff${[heading, ...orders, `bad;${customers[0]};Té;1;1;77;19`].join("\r\n")}\r\n`)
    const words = ["invoices", "import", sheet, "--decimal-comma"]
    const made = Effect.map(
      service.rows<{ readonly count: string }>(
        "select count(*) from invoices where metadata ? 'order' and metadata ->> 'order' ~ '^[0-9]+$'"
      ),
      ([row]) => Number(row?.count)
    )
    const before = yield* made

    const dry = yield* folioCommand([...words, "--dry-run"], env)
    assert.strictEqual(dry.code, 1, dry.error)
    assert.strictEqual(yield* made, before)

    // The import reports the same verdicts for customers as their registration, and registers none.
    const buyers = file("buyers.csv")
    const named = "order;identification_type;identification_number;check_digit;legal_name;organization_type"
    const tea = "description;unit_price;tax_code;tax_rate"
    const numbers = ["900123456;8", "900123456;7", "900000001;1"]
    const rows = numbers.map((number, index) => `buyer-${index};31;${number};Ana;1;Té;1;01;19\n`)
    Fs.writeFileSync(buyers, `${named};${tea}\n${rows.join("")}`)
    const judged = Effect.fnUntraced(function* (extra: ReadonlyArray<string>) {
      const { out } = yield* folioCommand(["invoices", "import", buyers, ...extra], env)
      const lines = out
        .trim()
        .split("\n")
        .map((line): { verdict: string; line: number } => JSON.parse(line))
      return lines.map(({ line, verdict }) => [line, verdict]).toSorted()
    })
    const registered = service.rows<{ readonly count: string }>("select count(*) from customers")
    const known = yield* registered
    const beforehand = yield* judged(["--dry-run"])
    assert.deepStrictEqual(yield* registered, known)
    assert.deepStrictEqual(beforehand, yield* judged([]))
    assert.deepStrictEqual(new Set(beforehand.map(([, verdict]) => verdict)), new Set(["ok", "refused"]))

    for (const some of [5, 15]) {
      const already = yield* made
      front.letPass(some)
      const killed = yield* folioProcess([...words, "--resume"], env)
      yield* until(Effect.sync(front.held), (held) => held > 0)
      yield* until(made, (seen) => seen > already)
      yield* killed.signal("SIGKILL")
      yield* killed.ended
    }
    front.letPass(Infinity)
    assert.isAtMost(yield* made, before + 20)
    // Once more with the progress file, and once without it, by the idempotency keys only.
    const resumed = yield* folioCommand([...words, "--resume"], env)
    Fs.rmSync(`${sheet}.progress`)
    const again = yield* folioCommand(words, env)
    assert.strictEqual(yield* made, before + count)
    const verdicts = again.out
      .trim()
      .split("\n")
      .map((line): { verdict: string; id: string | null; line: number } => JSON.parse(line))
    assert.lengthOf(new Set(verdicts.map(({ id }) => id)), count + 1)
    assert.lengthOf(
      verdicts.filter(({ verdict }) => verdict === "ok"),
      count
    )
    for (const { code, error } of [resumed, again]) assert.strictEqual(code, 1, error)

    const failed = Fs.readFileSync(file("orders.failed.csv"), "utf8")
    assert.match(failed, /^order;.*;error\r\nbad;.*;"tax_code: .* \(line 62\)"\r\n$/)
    Fs.writeFileSync(file("orders.failed.csv"), failed.replace(";77;", ";01;"))
    const mended = yield* folioCommand(["invoices", "import", file("orders.failed.csv")], env)
    assert.strictEqual(mended.code, 0, mended.out)
  })
})

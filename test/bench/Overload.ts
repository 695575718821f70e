import { fork } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import * as Path from "node:path"
import { apiKeyHash, makeApiKey } from "../../src/domain/accounts/ApiKeyFormat.ts"
import { floodKinds, type HostileKind } from "../soak/parties/HostileInputs.ts"
import type { HostileOrders, HostileTally } from "../soak/parties/hostileMain.ts"
import { chosen } from "../soak/Chosen.ts"
import { invoiceBody } from "../support/apps/Invoices.ts"
import { client, type Receiver, type Shop } from "./Load.ts"
import { percentile, until, wait } from "./Machine.ts"
import { allArrived } from "./Measures.ts"
import { postgres, root, type Service } from "./Places.ts"
import { say, show } from "./Report.ts"
import { withService } from "./ServiceParts.ts"

/*
 * What a neighbour feels of an account that floods the service: its reads, creations and webhooks alone, beside the flood, and after
 * it, measured in one run. The flood comes from a process of its own, with the requests of the hostile client of the soak.
 */

const keysOfFlood = 8

/** More keys for the first account. */
const moreKeys = `insert into api_keys (id, account_id, livemode, key_hash, last_four, created_at)
  select 'key_' || lpad((900 + n)::text, 26, '0'), k.account_id, k.livemode, ($1::text[])[n], 'last', now()
  from generate_series(1, $2::integer) n, (select * from api_keys where key_hash = $3) k`

const probeEveryMs = 100

/** The waits of a neighbour that asks steadily: how long its reads and creations took, and its webhooks since the POST began. */
const neighbour = async (subject: Service, hooks: Receiver, { customer, key }: Shop, seconds: number) => {
  const { call, close } = client(subject.target.base, 64)
  const [reads, creates] = [[] as Array<number>, [] as Array<number>]
  const at = new Map<string, number>()
  let failures = 0
  const timed = async (list: Array<number>, work: () => Promise<void>) => {
    const asked = performance.now()
    await work().catch(() => (failures += 1))
    list.push(performance.now() - asked)
  }
  const begin = performance.now()
  const under: Array<Promise<void>> = []
  for (let index = 0; performance.now() - begin < seconds * 1_000; index++) {
    await wait(Math.max(0, begin + index * probeEveryMs - performance.now()))
    if (index % 2 === 0) {
      under.push(timed(reads, () => call("GET", `/v1/customers/${customer}`, { key })))
      continue
    }
    const asked = performance.now()
    const post = () =>
      call("POST", "/v1/invoices", { key, once: `n ${Math.random()}`, body: invoiceBody(customer) }).then(({ id }) => {
        at.set(id, asked)
      })
    under.push(timed(creates, post))
  }
  await Promise.all(under)
  await close()
  const posted = { at, took: creates, seconds }
  await allArrived(posted, hooks)
  const webhooks = [...at].map(([id, asked]) => hooks.arrived.get(id)! - asked)
  return { reads, creates, webhooks, failures }
}

type Waits = Awaited<ReturnType<typeof neighbour>>

const shown = (waits: Waits) =>
  (["reads", "creates", "webhooks"] as const)
    .map((name) => `${name} ${[0.5, 0.99].map((p) => percentile(waits[name], p).toFixed(0)).join(" / ")}`)
    .join(", ") + (waits.failures > 0 ? `; ${waits.failures} failed` : "")

const flooding = (orders: HostileOrders) => {
  const child = fork(Path.join(root, "test/soak/parties/hostileMain.ts"), {
    stdio: ["ignore", "inherit", "inherit", "ipc"]
  })
  process.once("exit", () => child.kill("SIGKILL"))
  child.send(orders)
  return async () => {
    const told = once(child, "message")
    child.send(null as never)
    const [tally] = (await told) as [HostileTally]
    child.kill("SIGKILL")
    return tally
  }
}

const counted = (statuses: HostileTally["statuses"], seconds: number) =>
  Object.entries(statuses)
    .map(([name, count]) => `${name}: ${(count / seconds).toFixed(0)}/s`)
    .join(", ")

const measure = async (
  kind: HostileKind,
  subject: Service,
  hooks: Receiver,
  apiKeys: HostileOrders["apiKeys"],
  seconds: number
) => {
  const [flooder, other] = subject.shops as [Shop, Shop]
  const alone = await neighbour(subject, hooks, other, seconds)
  const stop = flooding({
    urls: [subject.target.base],
    apiKeys,
    customer: flooder.customer,
    endpoint: "none",
    invoices: [],
    links: [],
    hoard: 0,
    kinds: [kind]
  })
  const begun = performance.now()
  // The flood has the burst that its limits allow, and its connections are open.
  await wait(4_000)
  const cpu = subject.cpu()
  const from = performance.now()
  const beside = await neighbour(subject, hooks, other, seconds)
  const cores = (subject.cpu() - cpu) / (performance.now() - from)
  const memory = Math.max(...subject.resident()) / 1024 / 1024
  const tally = await stop()
  const lasted = (performance.now() - begun) / 1_000
  const ended = performance.now()
  await until(async () => {
    const { rows } = await subject.database.query(
      "select count(*)::integer as n from invoices where next_action_at is not null"
    )
    return rows[0].n === 0
  }, "nothing waits")
  const recovered = performance.now() - ended
  const after = await neighbour(subject, hooks, other, Math.min(seconds, 5))
  show(`${kind}: alone, ms p50 / p99`, shown(alone))
  show(`${kind}: beside it`, shown(beside))
  show(`${kind}: after it`, shown(after))
  const ratio = (name: "reads" | "creates" | "webhooks") =>
    `${name} × ${(percentile(beside[name], 0.5) / percentile(alone[name], 0.5)).toFixed(1)}`
  show(`${kind}: medians, beside / alone`, `${ratio("reads")}, ${ratio("creates")}, ${ratio("webhooks")}`)
  show(
    `${kind}: the flood`,
    `${counted(tally.statuses, lasted)}; ${cores.toFixed(2)} cores, ${memory.toFixed(0)} MB; its work done after ${recovered.toFixed(0)} ms`
  )
}

export const overload = async (options: {
  readonly seconds: number
  readonly kinds: string
  readonly tree: string
}) => {
  const kinds = options.kinds === "" ? floodKinds : chosen("kinds", "kind", floodKinds, options.kinds)
  const database = await postgres()
  const place = { accounts: 2, isLimited: true, ...(options.tree === "" ? {} : { tree: options.tree }) }
  try {
    await withService({ database, invoices: 300, quick: true }, place, async (subject, hooks) => {
      const [flooder] = subject.shops as [Shop]
      const others = Array.from({ length: keysOfFlood - 1 }, () => makeApiKey("test", randomBytes(32)))
      await subject.database.query(moreKeys, [others.map(apiKeyHash), others.length, apiKeyHash(flooder.key)])
      for (const kind of kinds) await measure(kind, subject, hooks, [flooder.key, ...others], options.seconds)
    })
  } finally {
    await database.stop()
  }
  say("")
}

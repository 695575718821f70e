import { fork } from "node:child_process"
import { once } from "node:events"
import * as Path from "node:path"
import { floodKinds, type HostileKind } from "../soak/parties/HostileInputs.ts"
import type { HostileOrders, HostileTally } from "../soak/parties/hostileMain.ts"
import { chosen } from "../soak/Chosen.ts"
import { twiceTheCapacity } from "./Capacity.ts"
import type { Receiver, Shop } from "./Load.ts"
import { until, wait } from "./Machine.ts"
import { nothingWaits } from "./Measures.ts"
import { mediansTo, neighbour, shownWaits } from "./Neighbour.ts"
import { postgres, root, type Service, withKeys } from "./Places.ts"
import { say, show } from "./Report.ts"
import { withService } from "./ServiceParts.ts"

/*
 * Twice the capacity of the service (`Capacity.ts`), and hostile floods. Measures the latencies of a neighbour's reads,
 * creations and webhooks alone, next to each flood and after it, in one run. Each flood runs in a process of its own,
 * with the requests of the soak's hostile client.
 */

const keysOfFlood = 8

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
  // By then the flood has used the burst of its limits, and its connections are open.
  await wait(4_000)
  const cpu = subject.cpu()
  const from = performance.now()
  const beside = await neighbour(subject, hooks, other, seconds)
  const cores = (subject.cpu() - cpu) / (performance.now() - from)
  const memory = Math.max(...subject.resident()) / 1024 / 1024
  const tally = await stop()
  const lasted = (performance.now() - begun) / 1_000
  const ended = performance.now()
  await until(() => nothingWaits(subject), "nothing waits")
  const recovered = performance.now() - ended
  const after = await neighbour(subject, hooks, other, Math.min(seconds, 5))
  show(`${kind}: alone, ms p50 / p99`, shownWaits(alone))
  show(`${kind}: next to it`, shownWaits(beside))
  show(`${kind}: after it`, shownWaits(after))
  const ratios = mediansTo(beside, alone).map(([name, ratio]) => `${name} × ${ratio.toFixed(1)}`)
  show(`${kind}: medians, next to it / alone`, ratios.join(", "))
  show(
    `${kind}: the flood`,
    `${counted(tally.statuses, lasted)}; ${cores.toFixed(2)} cores, ${memory.toFixed(0)} MB; its work done after ${recovered.toFixed(0)} ms`
  )
}

const kindsOfOverload = ["capacity", ...floodKinds] as const

export const overload = async (options: {
  /** 60 by default for `capacity`, and 10 for each hostile flood. */
  readonly seconds: string
  readonly kinds: string
  /** Number of accounts that offer twice the capacity. */
  readonly accounts: number
  readonly tree: string
}) => {
  const { accounts, tree } = options
  const kinds = options.kinds === "" ? kindsOfOverload : chosen("kinds", "kind", kindsOfOverload, options.kinds)
  const floods = kinds.filter((kind) => kind !== "capacity")
  const secondsOr = (standard: number) => (options.seconds === "" ? standard : Number(options.seconds))
  const database = await postgres()
  const place = { accounts: 2, isLimited: true, ...(tree === "" ? {} : { tree }) }
  try {
    if (kinds.includes("capacity")) await twiceTheCapacity(database, { accounts, tree, seconds: secondsOr(60) })
    if (floods.length === 0) return
    await withService({ database, invoices: 300, quick: true }, place, async (subject, hooks) => {
      const [flooder] = subject.shops as [Shop]
      const apiKeys = await withKeys(subject.target.base, flooder, keysOfFlood)
      for (const kind of floods) await measure(kind, subject, hooks, apiKeys, secondsOr(10))
    })
  } finally {
    await database.stop()
  }
  say("")
}

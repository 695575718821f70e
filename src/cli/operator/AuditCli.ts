import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { ApiError } from "../../../schemas/ApiError.ts"
import { idOf } from "../../database/Ids.ts"
import { AuditChains, type VerifiedChain } from "../../operations/store/AuditChains.ts"
import { AuditEntries, auditEntryView, type StoredAuditEntry } from "../../operations/store/AuditEntries.ts"
import { ReportedFailure } from "../../service/Run.ts"
import { toggle } from "../user/Flags.ts"
import { accountFlag } from "./AccountsCli.ts"
import { json, say, table } from "./Answers.ts"
import { store, storeWhileServed } from "./Surroundings.ts"

/* The audit log of all accounts, and the check of its chains. */

const account = Flag.optional(accountFlag("Only this account, ten_…, or platform, plat_…; if omitted, all accounts"))

const latestCount = 20
const pageSize = 1_000

// An entry is visible when its transaction commits. It may then be older than entries that were printed before.
const overlapMs = 10_000

const modeOf = ({ livemode }: { readonly livemode: boolean }) => (livemode ? "live" : "test")

const print = (asJson: boolean, row: StoredAuditEntry) => {
  const { account_id, action, actor, created_at, details, ip, object_id } = row
  const words = [created_at.toISOString(), account_id, modeOf(row), actor, action, object_id ?? "-", ip ?? "-"]
  const all = Object.keys(details).length === 0 ? words : [...words, JSON.stringify(details)]
  return Console.log(asJson ? JSON.stringify({ account_id, ...auditEntryView(row) }) : all.join("  "))
}

const tail = Command.make(
  "tail",
  {
    json: toggle("json", "Print each entry as one line of JSON"),
    account,
    live: toggle("live", "Only entries of live mode"),
    follow: toggle("follow", "Print new entries until Ctrl-C")
  },
  Effect.fn(function* (flags) {
    const entries = yield* AuditEntries
    const filter = { account: Option.getOrNull(flags.account), live: flags.live }
    const printAll = (rows: ReadonlyArray<StoredAuditEntry>) =>
      Effect.forEach(rows, (row) => print(flags.json, row), { discard: true })
    const rows = yield* entries.latest(filter, latestCount)
    yield* printAll(rows)
    if (!flags.follow) return
    // The first look prints no entry that is older than the entries above.
    let seen = new Set<string>(rows.map(({ id }) => id))
    let from = rows.length < latestCount ? "" : (rows[0]?.id ?? "")
    const look = Effect.gen(function* () {
      const again = new Set<string>()
      let last: StoredAuditEntry | undefined
      let page: ReadonlyArray<StoredAuditEntry>
      do {
        page = yield* entries.since(filter, last?.id ?? from, pageSize)
        yield* printAll(page.filter(({ id }) => !seen.has(id)))
        for (const { id } of page) again.add(id)
        last = page.at(-1) ?? last
      } while (page.length === pageSize)
      const next = last === undefined ? from : idOf("aud", last.created_at.getTime() - overlapMs)
      if (next > from) from = next
      seen = new Set([...again].filter((id) => id > from))
      yield* Effect.sleep("1 second")
    })
    return yield* Effect.forever(look)
  })
).pipe(
  Command.withDescription("Print the latest entries of the audit log, oldest first"),
  Command.provide(({ follow }) => (follow ? storeWhileServed : store))
)

const wordsOf = ({ entries, fault, unsealed }: VerifiedChain) => {
  if (fault !== null) return `WRONG at position ${fault.position}: ${fault.message}`
  const waiting = unsealed === 0n ? "" : `, ${unsealed} not in the chain yet`
  return `ok, ${entries} ${entries === 1 ? "entry" : "entries"}${waiting}`
}

const shown = ({ fault, position, unsealed, ...chain }: VerifiedChain) => ({
  ...chain,
  unsealed: Number(unsealed),
  position: Number(position),
  fault: fault === null ? null : { position: Number(fault.position), message: fault.message }
})

const verify = Command.make(
  "verify",
  { json, account },
  Effect.fn(function* (flags) {
    const chains = yield* AuditChains
    const id = Option.getOrNull(flags.account)
    const heads = yield* chains.heads(id)
    if (id !== null && heads.length === 0) return yield* ApiError.missingForOperator("account", id, "accounts list")
    const verified = yield* Effect.forEach(heads, chains.verify)
    const broken = verified.filter(({ fault }) => fault !== null).length
    yield* say(
      flags.json,
      { ok: broken === 0, chains: verified.map(shown) },
      table([
        ["ACCOUNT", "MODE", "LAST", "HASH", "AUDIT LOG"],
        ...verified.map((chain) => [
          chain.account_id,
          modeOf(chain),
          String(chain.position),
          chain.hash.slice(0, 16),
          wordsOf(chain)
        ])
      ])
    )
    if (broken > 0) return yield* new ReportedFailure({ message: `${broken} chains of the audit log are broken` })
  })
).pipe(
  Command.withDescription("Verify the chains of the audit log; exits with 1 if an entry was changed or removed"),
  Command.provide(store)
)

export const audit = Command.make("audit").pipe(
  Command.withDescription("Print the audit log, or verify it"),
  Command.withSubcommands([tail, verify])
)

import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { AccountMode } from "../../../schemas/Account.ts"
import * as Input from "../../database/Input.ts"
import { ofAccount } from "../../database/Keys.ts"
import * as Query from "../../database/Query.ts"

const chainsMax = 500
const entriesMax = 1_000

/**
 * The text of an entry that its hash covers: all fields as a JSON array. Times are in microseconds since 1970. The
 * database's form of `jsonb` is the same for equal values.
 */
const entryText = (sql: SqlClient.SqlClient) => sql`
  jsonb_build_array(account_id, livemode, id, seq, (extract(epoch from created_at) * 1000000)::bigint, actor, action,
    object_id, request_id, ip, details)::text as content`

/** The hash of an entry, from the hash of the entry before it. */
const hashAfter = (before: Uint8Array, content: string): Uint8Array =>
  createHash("sha256").update(before).update(content, "utf8").digest()

const isSame = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0

const Chain = Schema.Struct({ ...AccountMode.fields, position: Schema.BigInt, hash: Schema.Uint8Array })
type Chain = typeof Chain.Type

const Unsealed = Schema.Struct({ ...AccountMode.fields, id: Schema.String, content: Schema.String })

interface Sealed extends Chain {
  readonly id: string
}

const Head = Schema.Struct({
  ...AccountMode.fields,
  position: Schema.NullOr(Schema.BigInt),
  hash: Schema.NullOr(Schema.Uint8Array),
  first_position: Schema.NullOr(Schema.BigInt),
  before: Schema.NullOr(Schema.Uint8Array),
  /** The last position of an entry; null if no entry is sealed. */
  last: Schema.NullOr(Schema.BigInt),
  unsealed: Schema.BigInt
})
type Head = typeof Head.Type

const Link = Schema.Struct({ position: Schema.BigInt, hash: Schema.Uint8Array, content: Schema.String })

/** The first position of a chain at which it is broken. */
export interface ChainFault {
  readonly position: bigint
  readonly message: string
}

/**
 * A verified chain. `entries` counts the sealed entries that fit, `unsealed` the entries that are not in the chain yet.
 */
export interface VerifiedChain extends AccountMode {
  readonly entries: number
  readonly unsealed: bigint
  /** The last position and its hash in hexadecimal digits. A later chain contains this pair as well. */
  readonly position: bigint
  readonly hash: string
  readonly fault: ChainFault | null
}

const chainColumns: Input.Columns<Chain> = {
  account_id: ["text", ({ account_id }) => account_id],
  livemode: ["boolean", ({ livemode }) => livemode],
  position: ["bigint", ({ position }) => position],
  hash: ["bytea", ({ hash }) => hash]
}
const inputOfChains = Input.make<Chain>(chainColumns)
const inputOfSealed = Input.make<Sealed>({ ...chainColumns, id: ["text", ({ id }) => id] })
const inputOfModes = Input.make<AccountMode>({
  account_id: ["text", ({ account_id }) => account_id],
  livemode: ["boolean", ({ livemode }) => livemode]
})

const keyOf = ({ account_id, livemode }: AccountMode) => `${account_id} ${livemode}`

/** Appends entries to their chains. Returns the sealed entries and the new ends of the chains. */
const appended = (chains: ReadonlyArray<Chain>, entries: ReadonlyArray<typeof Unsealed.Type>) => {
  const ends = new Map(chains.map((chain) => [keyOf(chain), chain]))
  const sealed = entries.flatMap((entry): ReadonlyArray<Sealed> => {
    const end = ends.get(keyOf(entry))
    if (end === undefined) return []
    const next = { ...end, position: end.position + 1n, hash: hashAfter(end.hash, entry.content) }
    ends.set(keyOf(entry), next)
    return [{ ...next, id: entry.id }]
  })
  return { sealed, ends: [...ends.values()] }
}

/**
 * The chains of the audit log: one for each account and mode. A migration describes the form of a chain
 * (`migrations/0004_audit_chain.sql`).
 */
export class AuditChains extends Context.Service<AuditChains>()("folio/operations/store/AuditChains", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const content = entryText(sql)

    // Reads the first unsealed entry of each chain by index. A lost row of `audit_chains` isn't made again, so that
    // `verify` finds it.
    const waiting = Query.all(
      AccountMode,
      () => sql`
        with recursive waiting as (
          (select account_id, livemode from audit_log where position is null order by account_id, livemode limit 1)
          union all
          select n.account_id, n.livemode from waiting w
          cross join lateral (
            select account_id, livemode from audit_log
            where position is null and (account_id, livemode) > (w.account_id, w.livemode)
            order by account_id, livemode limit 1
          ) n
        ),
        first as (select account_id, livemode from waiting limit ${chainsMax}),
        made as (
          insert into audit_chains (account_id, livemode)
          select account_id, livemode from first s
          where not exists (
            select from audit_log a
            where a.account_id = s.account_id and a.livemode = s.livemode and a.position is not null
          )
          order by account_id, livemode
          on conflict do nothing
        )
        select account_id, livemode from first`
    )
    // The lock decides which of two sweepers extends a chain; the other one skips it. A chain whose end was moved back
    // stays as it is: a second entry at a position would fail for the whole batch.
    const lock = Query.all(
      Chain,
      (modes: ReadonlyArray<AccountMode>) => sql`
        select c.account_id, c.livemode, c.position, c.hash from audit_chains c
        where (c.account_id, c.livemode) in (select account_id, livemode from ${inputOfModes(sql, modes)})
          and not exists (
            select from audit_log a
            where a.account_id = c.account_id and a.livemode = c.livemode and a.position > c.position
          )
        order by c.account_id, c.livemode for update skip locked`
    )
    const unsealed = Query.all(
      Unsealed,
      (chains: ReadonlyArray<Chain>) => sql`
        select a.account_id, a.livemode, a.id, a.content from ${inputOfChains(sql, chains)}
        cross join lateral (
          select account_id, livemode, id, seq, ${content} from audit_log
          where account_id = n.account_id and livemode = n.livemode and position is null
          order by seq limit ${Math.ceil(entriesMax / chains.length)}
        ) a
        order by n.ord, a.seq`
    )
    const sealBatch = Effect.gen(function* () {
      const modes = yield* waiting()
      if (modes.length === 0) return 0
      const chains = yield* lock(modes)
      if (chains.length === 0) return 0
      const { ends, sealed } = appended(chains, yield* unsealed(chains))
      if (sealed.length === 0) return 0
      yield* sql`
        with sealed as (
          update audit_log a set position = n.position, hash = n.hash from ${inputOfSealed(sql, sealed)}
          where a.account_id = n.account_id and a.livemode = n.livemode and a.id = n.id
        )
        update audit_chains c set position = n.position, hash = n.hash from ${inputOfChains(sql, ends)}
        where c.account_id = n.account_id and c.livemode = n.livemode`
      return sealed.length
    })

    const heads = Query.all(
      Head,
      (account: string | null) => sql`
        select m.account_id, m.livemode, c.position, c.hash, c.first_position, c.before,
          (
            select max(position) from audit_log a
            where a.account_id = m.account_id and a.livemode = m.livemode and a.position is not null
          ) as last,
          (
            select count(*) from audit_log a
            where a.account_id = m.account_id and a.livemode = m.livemode and a.position is null
          ) as unsealed
        from account_modes m left join audit_chains c using (account_id, livemode)
        where ${account === null ? sql`true` : sql`m.account_id = ${account}`} order by 1, 2`
    )
    const links = Query.all(
      Link,
      (account: AccountMode, from: bigint, to: bigint) => sql`
        select position, hash, ${content} from audit_log
        where ${ofAccount(sql, account)} and position >= ${from} and position <= ${to}
        order by position limit ${entriesMax}`
    )

    /** Compares the entries from `first_position` to the end of the chain. */
    const walk = Effect.fnUntraced(function* (head: Head) {
      const { before, first_position, hash, last, position } = head
      if (position === null || hash === null || first_position === null || before === null) {
        const fault = last === null ? null : { position: 1n, message: "The end of the chain is missing." }
        return { entries: 0, fault }
      }
      let [next, end, entries] = [first_position, before, 0]
      const found = (message: string, at = next) => ({ entries, fault: { position: at, message } })
      while (next <= position) {
        const rows = yield* links(head, next, position)
        if (rows.length === 0) return found("The entry is missing.")
        for (const row of rows) {
          if (row.position !== next) return found("The entry is missing.")
          if (!isSame(row.hash, hashAfter(end, row.content))) {
            return found("The entry or its hash was changed, or the hash of the entry before it.")
          }
          end = row.hash
          next += 1n
          entries += 1
        }
      }
      if (!isSame(end, hash)) return found("The hash differs from the end of the chain.", position)
      return last !== null && last > position
        ? found("The entry is after the end of the chain.")
        : { entries, fault: null }
    })

    /** Verifies a chain. If the purge deletes entries meanwhile, verifies the rest again. */
    const verify = Effect.fnUntraced(function* (head: Head): Effect.fn.Return<VerifiedChain> {
      const { entries, fault } = yield* walk(head)
      if (fault !== null) {
        const now = (yield* heads(head.account_id)).find(({ livemode }) => livemode === head.livemode)
        if (now !== undefined && (now.first_position ?? 1n) > fault.position) return yield* verify(now)
      }
      const { account_id, livemode, unsealed: waitingEntries } = head
      const end = { position: head.position ?? 0n, hash: Buffer.from(head.hash ?? []).toString("hex") }
      return { account_id, livemode, entries, unsealed: waitingEntries, ...end, fault }
    })

    return {
      /**
       * Seals entries that have no position yet: about a thousand at most, of all accounts. Returns their number.
       * Several processes can seal at the same time.
       */
      seal: sealBatch.pipe(sql.withTransaction, Effect.orDie, Effect.withSpan("AuditChains.seal")),
      /** The chains of an account, or of all accounts. */
      heads,
      verify
    }
  })
}) {
  static readonly layer = Layer.effect(AuditChains, AuditChains.make)
}

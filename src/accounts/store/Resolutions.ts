import { Clock, Context, Effect, Layer, Result, Schema, SchemaGetter, Struct } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { AccountMode } from "../../../schemas/Account.ts"
import { ApiError, type Violation } from "../../../schemas/ApiError.ts"
import { DocumentKind } from "../../../schemas/FiscalDocument.ts"
import { type AccountId, ResolutionId } from "../../../schemas/Id.ts"
import { LocalDate } from "../../../schemas/Money.ts"
import type { PageRequest } from "../../../schemas/Page.ts"
import type { Resolution, ResolutionRequest, ResolutionUpdate } from "../../../schemas/Resolution.ts"
import { accountClosed } from "../../api/Capabilities.ts"
import { violation } from "../../documents/rules/AuthorityRules.ts"
import { timestamp } from "../../runtime/AuthorityTime.ts"
import { documentKinds, type NoteKind } from "../../../schemas/DocumentKinds.ts"
import type { NumberForm } from "../../documents/rules/FullNumber.ts"
import {
  canMeet,
  type FullNumbers,
  givesNumber,
  rangeViolation,
  resolutionStatus,
  resolutionWarnings,
  shareFullNumber,
  type UsedNumbers,
  validityViolations
} from "../../documents/rules/parties/ResolutionRules.ts"
import { counterBeside, isCounted, isCounterPrefix, noGrant } from "./NoteCounters.ts"
import * as AccountView from "../../database/AccountView.ts"
import { columnsOf, ofAccount, ofKey } from "../../database/Keys.ts"
import * as Pages from "../../database/Pages.ts"
import * as Query from "../../database/Query.ts"
import { Secrets } from "../../database/Secrets.ts"
import { NationalProfile } from "../../documents/NationalProfile.ts"
import * as LiveMode from "./LiveMode.ts"

const Row = Schema.Struct({
  ...AccountMode.fields,
  id: ResolutionId,
  number: Schema.String,
  document_type: DocumentKind,
  /** Whether the account registered this range of notes. False for a counter, and for every range of invoices. */
  registered: Schema.Boolean,
  prefix: Schema.String,
  from_number: Schema.BigInt,
  to_number: Schema.BigInt,
  valid_from: LocalDate,
  valid_to: LocalDate,
  technical_key: Schema.String,
  is_active: Schema.Boolean,
  next_number: Schema.BigInt,
  /**
   * Time since which the range gives no number, because the database was restored from a backup. Null for a range that
   * is not held.
   */
  held_since: Schema.NullOr(Schema.Date),
  created_at: Schema.Date
})
export type StoredResolution = typeof Row.Type

/** The place that the technical key of a range is encrypted for (see `Secrets`). */
export const rangeContext = ({ id }: { readonly id: string }) => `resolutions|${id}`

const Stored = Schema.Struct({ ...Row.fields, technical_key_sealed: Schema.NullOr(Schema.String) })

/** A new range with the values of its request. */
export const newRange = (
  key: Pick<StoredResolution, "account_id" | "livemode" | "id">,
  request: ResolutionRequest,
  now: number
): StoredResolution => {
  const { document_type = "invoice", from_number, to_number, ...range } = { ...noGrant, ...request }
  return {
    ...key,
    ...range,
    document_type,
    registered: document_type !== "invoice",
    from_number: BigInt(from_number),
    to_number: BigInt(to_number),
    next_number: BigInt(request.next_number ?? from_number),
    is_active: true,
    held_since: null,
    created_at: new Date(now)
  }
}

/** Whether the account registered the range. True for all ranges except counters. */
export const isRegistered = ({ document_type, registered }: StoredResolution) =>
  document_type === "invoice" || registered

export interface ResolutionKey extends AccountMode {
  readonly id: ResolutionId
}

/** Whether the numbers of a range are taken: the range is active, or has given a number. */
export const isTaken = ({ from_number, is_active, next_number }: StoredResolution) =>
  is_active || next_number > from_number

/**
 * The `resolution_overlap` error if `range` shares a full number with a taken range among `others` of its account and
 * mode.
 */
export const overlapOf = (
  range: StoredResolution,
  others: Iterable<StoredResolution>,
  form: NumberForm
): ApiError | undefined => {
  for (const other of others) {
    if (other.id === range.id || !isTaken(other) || !shareFullNumber(range, other, form)) continue
    return new ApiError({
      code: "resolution_overlap",
      message: `The numbers ${printed(range)} overlap the numbers of ${nameOf(other)}, ${printed(other)}. A full number (prefix and number) must be unique. Choose another prefix or other numbers.`
    })
  }
  return undefined
}

const CheckedRange = Row.mapFields(Struct.pick(["prefix", "from_number", "to_number", "next_number", "is_active"]))

/**
 * The `resolution_overlap` error if `range` and a range among `others` can meet. `others` belong to other accounts of
 * the same issuer, so the message shows no data of these ranges.
 */
export const meetingOf = (
  range: typeof CheckedRange.Type,
  others: ReadonlyArray<UsedNumbers>,
  form: NumberForm
): ApiError | undefined =>
  others.some((other) => canMeet({ ...range, gives: range.is_active }, other, form))
    ? new ApiError({
        code: "resolution_overlap",
        message: `The numbers ${printed(range)} overlap the numbers of another live account whose issuer has the same identification. A full number (prefix and number) must be unique for an issuer. Choose other numbers. If this account replaces the other one, deactivate the range there first, and send next_number.`
      })
    : undefined

const printed = ({ from_number, prefix, to_number }: FullNumbers) =>
  `${from_number} to ${to_number} of prefix ${JSON.stringify(prefix)}`

const nameOf = (range: StoredResolution) =>
  isRegistered(range) ? range.id : `the account's ${range.document_type.replace("_", " ")}s`

/** The maximum number of ranges of an account in each mode: enough for a hundred shops over ten years. */
export const resolutionsMax = 1_000

const limitReached = new ApiError({
  code: "resolution_limit_reached",
  message: `An account has at most ${resolutionsMax} numbering ranges in each mode, and Folio keeps them. Ask the authority for larger ranges, or the operator for another account.`
})

/**
 * The error that prevents the registration of `range`, if any. `others` are all ranges and counters of the account and
 * mode.
 */
export const refusalOf = (
  range: StoredResolution,
  others: ReadonlyArray<StoredResolution>,
  form: NumberForm
): ApiError | undefined =>
  others.filter(isRegistered).length >= resolutionsMax ? limitReached : overlapOf(range, others, form)

const endless = violation(
  "valid_to",
  "parameter_conflict",
  "Remove valid_to: a range of notes has no authorisation that could expire. Deactivate the range with is_active.",
  "range_of_notes"
)

/** The range after a change. Fails if its dates contradict each other, or if a range of notes would get dates. */
export const changed = (range: StoredResolution, patch: ResolutionUpdate) => {
  if (range.document_type !== "invoice" && patch.valid_to !== undefined) {
    return Result.fail(ApiError.fromViolations([endless]))
  }
  const next: StoredResolution = { ...range, ...patch }
  const [first, ...rest] = validityViolations(next.valid_from, next.valid_to)
  return first === undefined ? Result.succeed(next) : Result.fail(ApiError.fromViolations([first, ...rest]))
}

/** Inserts a range with a public technical key, such as the sandbox range. The key is stored unencrypted. */
export const insertPublic = (sql: SqlClient.SqlClient, resolution: StoredResolution) =>
  sql`insert into resolutions ${sql.insert(resolution)}`.pipe(Effect.orDie, Effect.asVoid)

/**
 * Makes the check of an account's ranges whose issuer gets the identification `of`, in the caller's transaction. The
 * check fails with `resolution_overlap`. It decrypts no technical key, because an operator's command may have no key.
 */
export const issuerCheck = (sql: SqlClient.SqlClient, form: NumberForm) => {
  const ofSameIssuer = LiveMode.rangesOfIssuer(sql, true)
  const own = Query.all(
    CheckedRange,
    (account: AccountMode) =>
      sql`select ${columnsOf(sql, CheckedRange)} from resolutions where ${ofAccount(sql, account)} order by id`
  )
  return Effect.fn("Resolutions.checkIssuer")(function* (account: AccountMode, of: LiveMode.IssuerKey) {
    yield* AccountView.lock(sql, account)
    const ranges = yield* own(account)
    const others = yield* ofSameIssuer(account, of)
    const meeting = ranges.map((range) => meetingOf(range, others, form)).find((error) => error !== undefined)
    if (meeting === undefined) return
    const refusal = violation("identification", "resolution_overlap", meeting.message, "numbering_range")
    return yield* ApiError.fromViolations([refusal])
  })
}

/** A query for the ranges of one kind of document and, unless `prefix` is null, of one prefix. */
export interface RangeQuery extends AccountMode {
  readonly kind: DocumentKind
  readonly prefix: string | null
}

/**
 * Numbering ranges: ranges that the authority granted, registered ranges of notes, and counters. Only `Numbering`
 * advances `next_number`.
 */
export class Resolutions extends Context.Service<Resolutions>()("folio/accounts/store/Resolutions", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const secrets = yield* Secrets
    const { numbering } = yield* NationalProfile
    const columns = columnsOf(sql, Stored)
    const Opened = Stored.pipe(
      Schema.decodeTo(Schema.toType(Row), {
        decode: SchemaGetter.transformEffect(({ technical_key_sealed: sealed, ...row }) =>
          sealed === null
            ? Effect.succeed(row)
            : Effect.map(secrets.open(sealed, rangeContext(row)), (technical_key) => ({ ...row, technical_key }))
        ),
        encode: SchemaGetter.forbidden(() => "a range is written by its statements")
      })
    )
    const { find, list } = Pages.readers(sql, { service: "Resolutions", table: "resolutions", columns, row: Opened })

    const fits = ({ kind, prefix, ...account }: RangeQuery) =>
      sql.and([
        ofAccount(sql, account),
        sql`document_type = ${kind}`,
        ...(prefix === null ? [] : [sql`prefix = ${prefix}`])
      ])
    /**
     * The range that numbers new documents on `date` (YYYY-MM-DD): the oldest range that is active, valid and not
     * exhausted. Registered ranges come before counters, and held ranges after all others.
     */
    const current = Query.first(
      Opened,
      (query: RangeQuery, date: string) => sql`
        select ${columns} from resolutions
        where ${fits(query)} and is_active and ${date}::date between valid_from and valid_to and next_number <= to_number
        order by held_since is not null, registered desc, id limit 1`
    )
    const select = Query.all(
      Opened,
      (where: Statement.Fragment) => sql`select ${columns} from resolutions where ${where} order by id`
    )
    /** All ranges that match the query, including inactive, expired and exhausted ranges. */
    const all = Effect.fn("Resolutions.all")((query: RangeQuery) => select(fits(query)))
    /**
     * Locks the account, and returns all of its ranges and counters. Until the caller's commit, no other transaction
     * registers or activates a range. Fails with `account_closed`, because a request can be under way while the
     * platform closes the account.
     */
    const locked = Effect.fnUntraced(function* (account: AccountMode) {
      yield* AccountView.lock(sql, account)
      const isClosed = yield* Query.isAny(
        sql`select 1 as found from accounts where id = ${account.account_id} and status = 'closed'`
      )
      return isClosed ? yield* accountClosed : yield* select(ofAccount(sql, account))
    })
    /** The ranges of other live accounts of the same issuer, as `locked`. Call it after `locked`. */
    const ofSameIssuer = LiveMode.rangesOfIssuer(sql, true)
    const seenOfSameIssuer = LiveMode.rangesOfIssuer(sql, false)
    /** Inserts a range without checking other ranges. */
    const insert = Effect.fnUntraced(function* (resolution: StoredResolution) {
      const key = resolution.technical_key
      const technical_key_sealed = key === "" ? null : yield* secrets.seal(key, rangeContext(resolution))
      const row = { ...resolution, technical_key: "", technical_key_sealed }
      yield* Effect.orDie(sql`insert into resolutions ${sql.insert(row)}`)
    })

    /**
     * Inserts the counter of a kind of notes under `key`, in the caller's transaction. Does nothing if the account
     * already has that counter, or a range of that kind that gives numbers.
     */
    const ensureCounter = Effect.fn("Resolutions.ensureCounter")(function* (key: ResolutionKey, kind: NoteKind) {
      const { account_id, livemode } = key
      if (isCounted(yield* all({ account_id, livemode, kind, prefix: null }))) return
      const others = yield* locked(key)
      if (isCounted(others.filter(({ document_type }) => document_type === kind))) return
      const created_at = new Date(yield* Clock.currentTimeMillis)
      const ranges = [...others, ...(yield* ofSameIssuer(key))]
      yield* insert(counterBeside({ ...key, created_at }, kind, ranges, numbering))
    })

    /** Whether the next note would create a counter that matches the query. */
    const wouldCount = Effect.fn("Resolutions.wouldCount")(function* ({ kind, prefix, ...account }: RangeQuery) {
      if (kind === "invoice") return false
      const ranges = yield* select(ofAccount(sql, account))
      return isCounterPrefix(prefix, kind, ranges, yield* seenOfSameIssuer(account), numbering)
    })

    /**
     * Registers a range in the caller's transaction. Fails with `resolution_overlap` and `resolution_limit_reached`.
     */
    const register = Effect.fn("Resolutions.register")(function* (resolution: StoredResolution) {
      const refusal = refusalOf(resolution, yield* locked(resolution), numbering)
      return yield* refusal ?? meetingOf(resolution, yield* ofSameIssuer(resolution), numbering) ?? insert(resolution)
    })

    /**
     * Changes a range in the caller's transaction. Fails with `resource_missing` and `parameter_invalid`. Fails with
     * `resolution_overlap` if the range becomes active and overlaps another range.
     */
    const update = Effect.fn("Resolutions.update")(function* (key: ResolutionKey, patch: ResolutionUpdate) {
      const ranges = yield* locked(key)
      const range = ranges.find(({ id }) => id === key.id)
      if (range === undefined) return yield* ApiError.missing("resolution", key.id)
      const next = yield* Effect.fromResult(changed(range, patch))
      if (next.is_active && !range.is_active) {
        const overlap = overlapOf(next, ranges, numbering) ?? meetingOf(next, yield* ofSameIssuer(key), numbering)
        if (overlap !== undefined) return yield* overlap
      }
      return yield* write(next)
    })
    const write = Query.one(
      Opened,
      (range: StoredResolution) => sql`
        update resolutions set is_active = ${range.is_active}, valid_to = ${range.valid_to}
        where ${ofKey(sql, range)} returning ${columns}`
    )

    return {
      current,
      all,
      checkIssuer: issuerCheck(sql, numbering),
      /** Deactivates all ranges of an account in both modes, in the caller's transaction. Needs access to both. */
      deactivate: (account_id: AccountId) =>
        Effect.orDie(sql`update resolutions set is_active = false where account_id = ${account_id} and is_active`),
      ensureCounter,
      find,
      /** The ranges of one kind of document, or all registered ranges if `kind` is null. */
      list: (account: AccountMode, request: PageRequest, kind: DocumentKind | null) =>
        list(
          account,
          request,
          kind === null ? sql`(document_type = 'invoice' or registered)` : sql`document_type = ${kind}`
        ),
      locked,
      insert,
      register,
      update,
      wouldCount
    }
  })
}) {
  static readonly layer = Layer.effect(Resolutions, Resolutions.make)
}

/** The violation for a document request to which no range of the account can give a number on `today` (YYYY-MM-DD). */
export const prefixViolations = Effect.fnUntraced(function* (
  resolutions: Resolutions["Service"],
  account: AccountMode,
  { prefix = null }: { readonly prefix?: string | null },
  today: string,
  kind: DocumentKind = "invoice"
): Effect.fn.Return<ReadonlyArray<Violation>> {
  const query = { account_id: account.account_id, livemode: account.livemode, kind, prefix }
  const ranges = yield* resolutions.all(query)
  if (givesNumber(ranges, today)) return []
  if (kind !== "invoice" && (yield* resolutions.wouldCount(query))) return []
  // Between the two reads, another request may have created a range, with a first note or a registration.
  if (kind !== "invoice" && givesNumber(yield* resolutions.all(query), today)) return []
  if (prefix === null || ranges.length > 0) return [rangeViolation(ranges, today, prefix)]
  const [of, how] =
    kind === "invoice" ? [" for invoices", ""] : [` for ${documentKinds[kind].noun}s`, ` with document_type "${kind}"`]
  const message = `The account has no numbering range${of} with the prefix ${JSON.stringify(prefix)}. Use the prefix of a registered range, or register the range at POST /v1/resolutions${how}.`
  return [violation("prefix", "parameter_invalid", message, "numbering_range")]
})

/**
 * The range as the API shows it on `today` (YYYY-MM-DD). A range of notes has neither fields of a grant nor warnings.
 */
export const resolutionView = (row: StoredResolution, today: string): Resolution => {
  const { document_type, from_number, next_number, number, prefix, technical_key, to_number, valid_from, valid_to } =
    row
  const isGranted = document_type === "invoice"
  return {
    id: row.id,
    object: "resolution",
    livemode: row.livemode,
    ...(isGranted ? { number } : {}),
    document_type,
    prefix,
    from_number: Number(from_number),
    to_number: Number(to_number),
    ...(isGranted ? { valid_from, valid_to, technical_key } : {}),
    is_active: row.is_active,
    next_number: Number(next_number),
    remaining: Number(to_number - next_number) + 1,
    status: resolutionStatus(row, today),
    warnings: isGranted ? resolutionWarnings(row, today) : [],
    created_at: timestamp(row.created_at.getTime())
  }
}

import { Clock, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { AccountId } from "../../../../schemas/Id.ts"
import { fullNumber, headOf, type NumberForm } from "../../../documents/rules/FullNumber.ts"
import * as Holds from "../../../operations/store/Holds.ts"
import { NationalProfile } from "../../../documents/NationalProfile.ts"
import { json, say, table } from "../Answers.ts"
import { store } from "../Surroundings.ts"
import { toggle } from "../../user/Flags.ts"

const lastIn = (range: Holds.HeldRange, form: NumberForm) =>
  range.next_number > range.from_number ? fullNumber(range.prefix, range.next_number - 1n, form) : "none"

const modeOf = ({ livemode }: { readonly livemode: boolean }) => (livemode ? "live" : "test")

const refuse = (message: string) => Effect.fail(new Holds.NotResumed({ message }))

/** The held ranges with a prefix that the full number begins with, each with the remaining number. */
const readings = (ranges: ReadonlyArray<Holds.HeldRange>, last: string, form: NumberForm) =>
  ranges.flatMap((range) => {
    const head = headOf(range.prefix, form)
    const digits = last.slice(head.length)
    if (!last.startsWith(head) || !/^\d{1,18}$/.test(digits)) return []
    return [{ range, number: BigInt(digits) }]
  })

/** The only range that has the number `last`. */
const chosen = Effect.fnUntraced(function* (ranges: ReadonlyArray<Holds.HeldRange>, last: string, form: NumberForm) {
  const all = readings(ranges, last, form)
  const inside = all.filter(({ number, range }) => range.from_number - 1n <= number && number <= range.to_number)
  const [first, second] = inside
  if (second !== undefined) {
    const names = inside.map(({ range }) => `${range.account_id} ${modeOf(range)} ${range.id}`).join(", ")
    return yield* refuse(`${last} matches several ranges (${names}). Choose one with --account, --mode or --range.`)
  }
  if (first !== undefined) return first
  const prefixes = [...new Set(ranges.map(({ prefix }) => JSON.stringify(prefix)))].join(", ")
  if (all.length > 0)
    return yield* refuse(`${last} is outside its range. folio resume lists the numbers of each range.`)
  return yield* refuse(
    ranges.length === 0
      ? "No range that matches is paused."
      : `${last} matches no paused range; the paused ranges have the prefixes ${prefixes}. Give prefix and number together, as on the document.`
  )
})

const described = (
  range: Holds.HeldRange,
  form: NumberForm,
  last: bigint,
  { lost, woken }: { readonly lost: bigint; readonly woken: number }
) => [
  `${range.account_id} ${modeOf(range)}: continues with ${fullNumber(range.prefix, last + 1n, form)}; ${woken === 1 ? "1 document" : `${woken} documents`} waited.`,
  ...(lost === 0n
    ? []
    : [
        `${fullNumber(range.prefix, range.next_number, form)} to ${fullNumber(range.prefix, last, form)} are recorded as lost: the authority has documents with these ${lost} numbers, but this database does not.`
      ])
]

const listed = Effect.fnUntraced(function* (ranges: ReadonlyArray<Holds.HeldRange>, form: NumberForm, asJson: boolean) {
  const drafts = yield* Holds.draftsHeld
  const restored = yield* Holds.lastRestore
  const old = yield* Holds.draftsOfBackup
  const waiting = (range: Holds.HeldRange) =>
    drafts.find((row) => row.account_id === range.account_id && row.livemode === range.livemode)?.count ?? 0
  const rows = ranges.map((range) => ({
    account_id: range.account_id,
    mode: modeOf(range),
    range: range.id,
    document_type: range.document_type,
    numbers: `${range.prefix}${range.from_number}-${range.to_number}`,
    last: lastIn(range, form),
    since: range.held_since.toISOString(),
    waiting: waiting(range)
  }))
  const when = Option.match(restored, {
    onNone: () => [],
    onSome: ({ restored_at, taken_at }) => [
      `Restored at ${restored_at.toISOString()} from a backup of ${taken_at?.toISOString() ?? "an unknown time"}.`
    ]
  })
  const heads = ["ACCOUNT", "MODE", "RANGE", "KIND", "NUMBERS", "LAST HERE", "WAITING IN ALL"]
  yield* say(
    asJson,
    { ranges: rows, drafts_of_backup: old.map((row) => ({ ...row, mode: modeOf(row), livemode: undefined })) },
    rows.length === 0
      ? ["No range is paused."]
      : [
          ...when,
          ...table([
            heads,
            ...rows.map((row) => [
              row.account_id,
              row.mode,
              row.range,
              row.document_type,
              row.numbers,
              row.last,
              String(row.waiting)
            ])
          ]),
          ...old.map(
            (row) =>
              `${row.account_id} ${modeOf(row)}: ${row.count} documents had no number in the backup, and may have been issued later (${row.ids.join(", ")}${row.count > row.ids.length ? ", …" : ""}). First cancel each document that the authority has; otherwise Folio issues it twice.`
          ),
          "For each range, find the last number that the authority has, and run: folio resume --last PREFIX123.",
          "If nothing was issued after the backup: folio resume --as-backed-up."
        ]
  )
})

export const resume = Command.make(
  "resume",
  {
    json,
    last: Flag.optional(
      Flag.String("last").pipe(
        Flag.withDescription(
          "Last number of a range that the authority has, with its prefix, for example FE123; FE0 if the authority has no number of a range from 1"
        )
      )
    ),
    as_backed_up: toggle(
      "as-backed-up",
      "Nothing was issued after the backup: confirm the last number of each range in this database"
    ),
    hold: toggle("hold", "Pause every range, after a restore without folio restore (pg_restore, a disk snapshot)"),
    account: Flag.optional(
      Flag.String("account").pipe(
        Flag.withDescription("Only ranges of this account, ten_…"),
        Flag.withSchema(AccountId)
      )
    ),
    mode: Flag.optional(Flag.Literals("mode", ["test", "live"]).pipe(Flag.withDescription("Only ranges of this mode"))),
    range: Flag.optional(Flag.String("range").pipe(Flag.withDescription("Only this range, res_…")))
  },
  Effect.fn(function* (flags) {
    const { numbering } = yield* NationalProfile
    const chosenFlags = [Option.isSome(flags.last), flags.as_backed_up, flags.hold].filter(Boolean)
    if (chosenFlags.length > 1) return yield* refuse("Give one of --last, --as-backed-up and --hold.")
    if (flags.hold) {
      const at = new Date(yield* Clock.currentTimeMillis).toISOString()
      yield* Holds.hold
      return yield* say(flags.json, { held_since: at }, [
        "Every range is paused: folio resume lists the ranges and how to resume them."
      ])
    }
    const ranges = (yield* Holds.held).filter(
      (range) =>
        Option.getOrElse(flags.account, () => range.account_id) === range.account_id &&
        Option.getOrElse(flags.mode, () => modeOf(range)) === modeOf(range) &&
        Option.getOrElse(flags.range, (): string => range.id) === range.id
    )
    if (Option.isSome(flags.last)) {
      const { number, range } = yield* chosen(ranges, flags.last.value, numbering)
      const done = yield* Holds.resume(range, number)
      return yield* say(
        flags.json,
        { range: range.id, last: Number(number), lost: Number(done.lost), waiting: done.woken },
        described(range, numbering, number, done)
      )
    }
    if (!flags.as_backed_up) return yield* listed(ranges, numbering, flags.json)
    const lines = yield* Effect.forEach(ranges, (range) =>
      Effect.map(Holds.resume(range, range.next_number - 1n), (done) =>
        described(range, numbering, range.next_number - 1n, done)
      )
    )
    yield* say(
      flags.json,
      { resumed: ranges.map(({ id }) => id) },
      lines.length === 0 ? ["No range is paused."] : lines.flat()
    )
  })
).pipe(
  Command.withDescription("List the ranges that are paused after a restore, and resume them"),
  Command.provide(store)
)

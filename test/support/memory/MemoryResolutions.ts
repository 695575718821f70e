import { Option, Result } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import {
  changed,
  type RangeQuery,
  refusalOf,
  Resolutions,
  type StoredResolution
} from "../../../src/accounts/store/Resolutions.ts"
import { counterBeside, isCounted, isCounterPrefix } from "../../../src/accounts/store/NoteCounters.ts"
import { existing, isOf, inMemory, rowOf } from "./MemoryTables.ts"

type Ranges = Map<string, StoredResolution>

const ofAccount = (ranges: Ranges, account: AccountMode) => [...ranges.values()].filter((row) => isOf(row, account))

const matching = (ranges: Ranges, { kind, prefix, ...account }: RangeQuery) =>
  ofAccount(ranges, account)
    .filter((row) => row.document_type === kind && (prefix === null || row.prefix === prefix))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))

export const layerResolutions = inMemory(Resolutions, ({ attempt, call }, { numbering }) => ({
  all: (query) => call("Resolutions.all", ({ resolutions }) => matching(resolutions, query)),
  ensureCounter: (key, kind) =>
    call("Resolutions.ensureCounter", ({ resolutions }, now) => {
      const others = ofAccount(resolutions, key)
      if (isCounted(others.filter(({ document_type }) => document_type === kind))) return
      resolutions.set(key.id, counterBeside({ ...key, created_at: new Date(now) }, kind, others, numbering))
    }),
  wouldCount: ({ kind, prefix, ...account }) =>
    call(
      "Resolutions.wouldCount",
      ({ resolutions }) =>
        kind !== "invoice" && isCounterPrefix(prefix, kind, ofAccount(resolutions, account), [], numbering)
    ),
  locked: (account) => call("Resolutions.locked", ({ resolutions }) => ofAccount(resolutions, account)),
  current: (query, date) =>
    call("Resolutions.current", ({ resolutions }) => {
      const fitting = matching(resolutions, query).filter(
        (row) => row.is_active && row.valid_from <= date && date <= row.valid_to && row.next_number <= row.to_number
      )
      return Option.fromUndefinedOr(fitting.find(({ registered }) => registered) ?? fitting[0])
    }),
  find: (account, id) =>
    call("Resolutions.find", ({ resolutions }) => Option.fromUndefinedOr(rowOf(resolutions, { ...account, id }))),
  register: (resolution) =>
    attempt("Resolutions.register", ({ resolutions }) => {
      const refusal = refusalOf(resolution, ofAccount(resolutions, resolution), numbering)
      if (refusal !== undefined) return Result.fail(refusal)
      resolutions.set(resolution.id, resolution)
      return Result.void
    }),
  // Overlaps with other ranges are tested on PostgreSQL.
  update: (key, patch) =>
    attempt("Resolutions.update", ({ resolutions }) =>
      Result.map(changed(existing(resolutions, key.id), patch), (next) => {
        resolutions.set(next.id, next)
        return next
      })
    ),
  insert: (resolution) =>
    call("Resolutions.insert", ({ resolutions }) => void resolutions.set(resolution.id, resolution))
}))

import type { IncidentKind } from "../../../schemas/Incident.ts"
import { type Cause, crowd } from "./Causes.ts"

/* The rules that open and end incidents. */

/** An incident ends after its cause has been gone for this long, so that an intermittent cause is reported once. */
export const holdDownMs = 5 * 60_000

/** Up to this many causes of one kind are reported one by one; more are one incident. */
export const crowdMin = 50

/**
 * An open incident. `gone_ms`: for how many milliseconds no check has found its cause; null while the cause is present.
 */
export interface OpenIncident {
  readonly id: string
  readonly kind: IncidentKind
  readonly subject: string
  readonly summary: string
  readonly gone_ms: number | null
}

/** The changes after a check. */
export interface Verdict {
  /** Causes of incidents to open or, if one is open, causes with changed texts. */
  readonly put: ReadonlyArray<Cause>
  /** Ids of incidents whose cause is now gone, whose cause has returned, and that end. */
  readonly gone: ReadonlyArray<string>
  readonly back: ReadonlyArray<string>
  readonly end: ReadonlyArray<string>
}

/** The findings of one source. `isAll`: the findings are complete; null causes: the source could not be checked. */
export interface Look {
  readonly kinds: ReadonlyArray<IncidentKind>
  readonly causes: ReadonlyArray<Cause> | null
  readonly isAll: boolean
}

const keyOf = (kind: IncidentKind, subject: string) => `${kind} ${subject}`

/**
 * Compares the findings with the open incidents. An incident whose kind was not checked stays unchanged. An incident
 * that an incomplete check may have missed does not end.
 */
export const judge = (open: ReadonlyArray<OpenIncident>, looks: ReadonlyArray<Look>): Verdict => {
  const known = new Map(open.map((incident) => [keyOf(incident.kind, incident.subject), incident]))
  const all = looks.flatMap(({ causes }) => causes ?? [])
  const found = [...new Map(all.map((cause) => [keyOf(cause.kind, cause.subject), cause])).values()]
  const byKind = Map.groupBy(found, ({ kind }) => kind)
  const wanted = [...byKind].flatMap(([kind, causes]) => {
    if (causes.length <= crowdMin) return causes
    return [crowd(kind, causes), ...causes.filter(({ subject }) => known.has(keyOf(kind, subject)))]
  })
  const held = new Set(
    [...found, ...wanted].flatMap(({ covers, kind, subject }) => [kind, ...covers].map((one) => keyOf(one, subject)))
  )
  const examined = new Set(looks.filter(({ causes }) => causes !== null).flatMap(({ kinds }) => kinds))
  const cut = new Set(looks.filter(({ isAll }) => !isAll).flatMap(({ kinds }) => kinds))
  const isHeld = ({ kind, subject }: OpenIncident) => held.has(keyOf(kind, subject))
  const absent = open.filter((incident) => examined.has(incident.kind) && !cut.has(incident.kind) && !isHeld(incident))
  const ids = (incidents: ReadonlyArray<OpenIncident>) => incidents.map(({ id }) => id)
  return {
    put: wanted.filter(({ kind, subject, summary }) => known.get(keyOf(kind, subject))?.summary !== summary),
    gone: ids(absent.filter(({ gone_ms }) => gone_ms === null)),
    back: ids(open.filter((incident) => incident.gone_ms !== null && isHeld(incident))),
    end: ids(absent.filter(({ gone_ms }) => gone_ms !== null && gone_ms >= holdDownMs))
  }
}

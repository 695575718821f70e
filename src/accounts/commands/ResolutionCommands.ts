import { Clock, Effect } from "effect"
import { NationalProfile } from "../../documents/NationalProfile.ts"
import { newRange, Resolutions, resolutionView } from "../store/Resolutions.ts"
import { Ids } from "../../database/Ids.ts"
import * as Command from "../Command.ts"

/**
 * The commands that register and change numbering ranges. Drafts created after the commit get their numbers from the
 * changed ranges.
 */
export const make = Effect.gen(function* () {
  const ids = yield* Ids
  const { localDate, rules } = yield* NationalProfile
  const resolutions = yield* Resolutions

  // The responses hold the technical key of a range.
  const CreateResolution = Command.alone("CreateResolution", {
    isSecret: true,
    run: function* (account, { request }) {
      yield* Command.refuse(rules.resolution(request))
      const now = yield* Clock.currentTimeMillis
      const id = yield* ids.resolution
      const resolution = newRange({ ...account, id }, request, now)
      yield* resolutions.register(resolution)
      return {
        answer: Command.created(`/v1/resolutions/${id}`, resolutionView(resolution, localDate(now))),
        audit: [["resolution.created", id]],
        changesRanges: true
      }
    }
  })

  const UpdateResolution = Command.alone("UpdateResolution", {
    isSecret: true,
    run: function* (account, { id, patch }) {
      const row = yield* resolutions.update({ ...account, id }, patch)
      const today = localDate(yield* Clock.currentTimeMillis)
      return {
        answer: Command.ok(resolutionView(row, today)),
        audit: [["resolution.updated", id, { changed: Object.keys(patch) }]],
        changesRanges: true
      }
    }
  })

  return { CreateResolution, UpdateResolution }
})

import { Result } from "effect"
import { ApiError } from "../../../schemas/ApiError.ts"
import { usageDaysDefault, usageDaysMax } from "../../../schemas/Usage.ts"
import { violation } from "../../documents/rules/AuthorityRules.ts"

const dayMs = 86_400_000

const moved = (date: string, days: number) => new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10)

const fault = (message: string) =>
  Result.fail(ApiError.fromViolations([violation("from", "parameter_invalid", message, "range")]))

/**
 * The first and the last day of a request for usage, each YYYY-MM-DD. Without `to`, the days end with `today`, and
 * without `from` they are the last `usageDaysDefault`. Fails with `parameter_invalid`.
 */
export const usageDays = (
  query: { readonly from?: string; readonly to?: string },
  today: string
): Result.Result<{ readonly from: string; readonly to: string }, ApiError> => {
  const { to = today } = query
  const { from = moved(to, 1 - usageDaysDefault) } = query
  const end = query.to === undefined ? `today, ${to}` : `to, ${to}`
  if (from > to) return fault(`from must not be after ${end}.`)
  if (moved(from, usageDaysMax - 1) < to) {
    const message = `from must be at most ${usageDaysMax - 1} days before ${end}, so not before ${moved(to, 1 - usageDaysMax)}. Send several requests for a longer time.`
    return fault(message)
  }
  return Result.succeed({ from, to })
}

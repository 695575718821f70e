import type { Violation } from "../../../../schemas/ApiError.ts"
import type { Period } from "../../../../schemas/Line.ts"
import { violation } from "../AuthorityRules.ts"

/** The violation of a period at `path` that ends before its first day. */
export const periodViolations = (period: Period | undefined, path: string): ReadonlyArray<Violation> =>
  period === undefined || period.start_date <= period.end_date
    ? []
    : [
        violation(
          `${path}.end_date`,
          "parameter_invalid",
          `end_date must be ${period.start_date} or later.`,
          "calendar"
        )
      ]

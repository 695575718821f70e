import * as Data from "effect/Data"
import type { ErrorBody } from "../client/Interface.ts"

/** The service refused a request, or failed at it: exit code 1. `body` is the service's answer as it is. */
export class Refused extends Data.TaggedError("Refused")<{
  readonly body: ErrorBody
  readonly hint?: string | undefined
}> {
  override get message() {
    return this.body.error.message
  }
}

/** What was asked for did not happen, and nobody refused it, such as a file that cannot be written: exit code 1. */
export class Failed extends Data.TaggedError("Failed")<{ readonly message: string; readonly hint?: string }> {}

/** The command was used wrongly: exit code 2. */
export class Misuse extends Data.TaggedError("Misuse")<{ readonly message: string; readonly hint?: string }> {}

/** The service did not answer: exit code 3. */
export class Unreachable extends Data.TaggedError("Unreachable")<{
  readonly message: string
  readonly hint?: string
}> {}

export type Failure = Refused | Failed | Misuse | Unreachable

/** What the process exits with after a failure; 0 is for what was done. */
export const exitCodes = { Refused: 1, Failed: 1, Misuse: 2, Unreachable: 3 } as const

export const isFailure = (error: unknown): error is Failure =>
  error instanceof Refused || error instanceof Failed || error instanceof Misuse || error instanceof Unreachable

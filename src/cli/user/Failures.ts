import * as Data from "effect/Data"
import type { ErrorBody } from "../../clients/typescript/Interface.ts"

/** The service responded with an error: exit code 1. `body` is the response, unchanged. */
export class Refused extends Data.TaggedError("Refused")<{
  readonly body: ErrorBody
  readonly hint?: string | undefined
}> {
  override get message() {
    return this.body.error.message
  }
}

/** The command failed without an error from the service, for example because a file cannot be written: exit code 1. */
export class Failed extends Data.TaggedError("Failed")<{ readonly message: string; readonly hint?: string }> {}

/** The command has wrong arguments: exit code 2. */
export class Misuse extends Data.TaggedError("Misuse")<{ readonly message: string; readonly hint?: string }> {}

/** The service did not respond: exit code 3. */
export class Unreachable extends Data.TaggedError("Unreachable")<{
  readonly message: string
  readonly hint?: string
}> {}

export type Failure = Refused | Failed | Misuse | Unreachable

/** The process's exit codes for failures. Success is 0. */
export const exitCodes = { Refused: 1, Failed: 1, Misuse: 2, Unreachable: 3 } as const

export const isFailure = (error: unknown): error is Failure =>
  error instanceof Refused || error instanceof Failed || error instanceof Misuse || error instanceof Unreachable

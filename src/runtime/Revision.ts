import { Context } from "effect"

/**
 * The version of the messages between actors. Processes with the same revision share their actors. A process with
 * another revision, which would not understand the messages, has its own actors for the same rows. `npm run openapi`
 * computes the value from the messages and writes it here. A test fails if the value is outdated.
 */
export class Revision extends Context.Reference<string>("folio/runtime/Revision", {
  defaultValue: () => "f6fec70c"
}) {}

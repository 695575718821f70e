import { Context } from "effect"

/**
 * Names the form of the messages between actors. Processes of one revision share their actors. A process of another revision, which would
 * not understand the messages, has actors of its own for the same rows. `npm run openapi` computes the value from the
 * messages and writes it here; a test fails while it is old.
 */
export class Revision extends Context.Reference<string>("folio/protocol/Revision", {
  defaultValue: () => "aed93dff"
}) {}

import { Context } from "effect"

/**
 * Names the form of the messages between actors. Processes of one revision share their actors. A process of another revision, which would
 * not understand the messages, has actors of its own for the same rows. A test computes the value from the messages: when it fails,
 * the messages have changed, and the value that it prints belongs here.
 */
export class Revision extends Context.Reference<string>("folio/protocol/Revision", {
  defaultValue: () => "aed93dff"
}) {}

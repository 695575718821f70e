import type { Collection } from "../checks/Journal.ts"
import type { Deserves } from "./Requests.ts"
import type { StepOf } from "./Steps.ts"

/** A request to create a customer or a document, or to correct an invoice, before it is sent. */
export interface Translatable {
  readonly collection: Exclude<Collection, "webhook-endpoints">
  readonly livemode: boolean
  /** Kind of the drawn customer or lines, such as "rejected" or "wrong amount"; null for annulments. */
  readonly draw: StepOf<"customer">["buyer"] | StepOf<"invoice" | "note">["lines"] | null
  /** The body for Colombia. The lines of a note are its invoice's lines, which are already translated. */
  readonly body: object
  readonly deserves: Deserves
}

/**
 * Returns another country's body of a request, and the response that it deserves there. It must keep the metadata of
 * the body.
 */
export type Translate = (drawn: Translatable) => Pick<Translatable, "body" | "deserves">

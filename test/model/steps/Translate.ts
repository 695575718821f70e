import type { Collection } from "../checks/Journal.ts"
import type { Deserves } from "./Requests.ts"
import type { StepOf } from "./Steps.ts"

/** A request to create a customer or a document, or to correct an invoice, before it is sent. */
export interface Translatable {
  readonly collection: Exclude<Collection, "webhook-endpoints">
  readonly livemode: boolean
  /** The kind of the customer or of the lines that was drawn, such as "rejected" or "wrong amount"; null for annulments. */
  readonly draw: StepOf<"customer">["buyer"] | StepOf<"invoice" | "note">["lines"] | null
  /** The body for Colombia. The lines of a note are those of its invoice, translated already. */
  readonly body: object
  readonly deserves: Deserves
}

/** Gives the body of a request as another country has it, and what that body deserves there. The metadata of the body must stay. */
export type Translate = (drawn: Translatable) => Pick<Translatable, "body" | "deserves">

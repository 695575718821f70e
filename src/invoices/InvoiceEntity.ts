import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"

/**
 * The actor of each fiscal document. It takes the document from its number to the authority's verdict.
 *
 * @internal
 */
export const InvoiceEntity = Entity.make("Invoice", [
  /** A message without a reply: carry out the next step that the document's row requires. */
  Rpc.make("Proceed"),
  /** A message without a reply: send the document's emails that are due. */
  Rpc.make("Mail")
])
